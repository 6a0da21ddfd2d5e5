/**
 * npm run bench [-- start | lists | contacts | calendar | job | import | receipts | export | hostile | engine | bytes |
 * backup | backup-files | accounts | disk | growth | retention | series | sync | stalls | restart | uploads |
 * rotate-key | lighthouse]
 *
 * Every file answers one question with a table. Compare figures of the same run only: they depend on the machine.
 */
const defaults = ['start', 'lists', 'job', 'receipts', 'export', 'hostile', 'engine', 'bytes', 'backup']
/** Only on request: these take ten minutes and more, and Lighthouse downloads a large package. */
const questions = [
  ...defaults,
  'backup-files',
  'contacts',
  'calendar',
  'import',
  'accounts',
  'disk',
  'growth',
  'retention',
  'series',
  'sync',
  'stalls',
  'restart',
  'uploads',
  'rotate-key',
  'lighthouse',
]
const requested = process.argv.slice(2)
const unknown = requested.find((name) => !questions.includes(name))
if (unknown) {
  console.error(`There is no benchmark ${unknown}. Use: npm run bench [-- ${questions.join(' | ')}]`)
  process.exit(1)
}
for (const name of requested.length > 0 ? requested : defaults) await import(`./${name}.ts`)
