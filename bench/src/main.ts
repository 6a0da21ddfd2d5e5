/**
 * npm run bench [-- start | lists | engine | bytes]
 *
 * Each file asks one question and prints a table; figures compare within one run only.
 */
const questions = ['start', 'lists', 'engine', 'bytes']
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !questions.includes(name))
if (unknown) {
  console.error(`There is no benchmark ${unknown}. Use: npm run bench [-- ${questions.join(' | ')}]`)
  process.exit(1)
}
for (const name of asked.length > 0 ? asked : questions) await import(`./${name}.ts`)
