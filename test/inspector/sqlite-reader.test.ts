import { describeReader } from './describe-reader.ts'
import { copyFixture, FIXTURE_NOW, open } from './support/open.ts'

describeReader({
  name: 'sqlite',
  open: (fixture) => open(copyFixture(fixture), { now: FIXTURE_NOW }).client,
  facts: { dialect: 'sqlite', eventsUpperBound: 488 },
  // As it was written.
  json: { storage: 'text', spell: (text) => text },
})
