import { describeReader } from './describe-reader.ts'
import { copyFixture, FIXTURE_NOW, open } from './support/open.ts'

describeReader('sqlite', (name) => open(copyFixture(name), { now: FIXTURE_NOW }).client)
