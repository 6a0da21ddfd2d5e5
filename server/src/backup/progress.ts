const EVERY_MS = 2000

/** Returns a function that is called after each step, and says how far the rows are every two seconds. */
export function progressOf(verb: string, total: number, say: (sentence: string) => void) {
  let done = 0
  let saidAt = performance.now()
  return (rows: number) => {
    done += rows
    if (performance.now() - saidAt < EVERY_MS) return
    saidAt = performance.now()
    say(`${verb} ${inWords(done)} of ${inWords(total)} rows.`)
  }
}

export const inWords = (count: number) => count.toLocaleString('en')
