import { describeSearch } from './describe-search.ts'
import { copyFixture, FIXTURE_NOW, open } from './support/open.ts'

describeSearch({
  name: 'sqlite',
  open: (fixture) => open(copyFixture(fixture), { now: FIXTURE_NOW }).background,
})
