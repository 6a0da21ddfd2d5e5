const DOT = '•'
const MASK = DOT.repeat(4)

/** A token as answers show it: `••••1234`. A short one shows nothing of itself. */
export const maskToken = (token: string): string => MASK + (token.length < 16 ? '' : token.slice(-4))

/** Whether this is how answers show a token. Forms that were not given another token send this back. */
export const isMaskedToken = (text: string): boolean =>
  text.startsWith(MASK) && text.length <= MASK.length + 4

/** Whether this may be a token itself. Half a masked one, corrected by hand, is none. */
export const mayBeToken = (text: string): boolean => !text.includes(DOT)
