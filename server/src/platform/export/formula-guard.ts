/**
 * A spreadsheet takes a cell that begins with such a sign as a formula, and an apostrophe makes it text. Some take
 * signs for the same that only look like them, such as the full-width ＝, and skip what can't be seen.
 */
function isFormula(text: string): boolean {
  const [first = ''] = text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '').normalize('NFKC')
  return /^[\t\r\n]/.test(text) || /[=+\-\u2010\u2212@]/.test(first)
}

export const withFormulaGuard = (text: string) => (isFormula(text) ? `'${text}` : text)

/** Reads a cell as it was before it got its guard. */
export const withoutFormulaGuard = (text: string) =>
  text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text
