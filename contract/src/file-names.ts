import { limits } from './limits.ts'

/** Characters that hide what a name is, or reverse it. Emoji and some scripts need the two that join characters. */
export const hiddenInNames = String.raw`(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`

const UNSAFE = new RegExp(`[/\\\\]|\\{\\{|${hiddenInNames}`, 'u')

/** Whether recipients may see the name: no path, nothing hidden, no beginning of a variable, and not too long. */
export const isSafeFileName = (name: string) =>
  !UNSAFE.test(name) && new TextEncoder().encode(name).length <= limits.fileName
