/**
 * npm run bench [-- start | lists | engine | bytes | lighthouse]
 *
 * Each file asks one question and prints a table; figures compare within one run only.
 */
const usual = ['start', 'lists', 'engine', 'bytes']
/** Fetches a large package, so only when it is asked for. */
const questions = [...usual, 'lighthouse']
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !questions.includes(name))
if (unknown) {
  console.error(`There is no benchmark ${unknown}. Use: npm run bench [-- ${questions.join(' | ')}]`)
  process.exit(1)
}
for (const name of asked.length > 0 ? asked : usual) await import(`./${name}.ts`)
