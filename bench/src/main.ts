/**
 * npm run bench [-- start | lists | receipts | hostile | engine | bytes | backup | lighthouse]
 *
 * Every file answers one question with a table. Compare figures of the same run only: they depend on the machine.
 */
const defaults = ['start', 'lists', 'receipts', 'hostile', 'engine', 'bytes', 'backup']
/** Lighthouse runs only on request, as it downloads a large package. */
const questions = [...defaults, 'lighthouse']
const requested = process.argv.slice(2)
const unknown = requested.find((name) => !questions.includes(name))
if (unknown) {
  console.error(`There is no benchmark ${unknown}. Use: npm run bench [-- ${questions.join(' | ')}]`)
  process.exit(1)
}
for (const name of requested.length > 0 ? requested : defaults) await import(`./${name}.ts`)
