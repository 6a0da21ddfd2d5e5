// Apart from `words.ts`, because no list page has this.
import { currentLanguage } from './i18n.ts'

const isChinese = () => currentLanguage() === 'cn'

/** Names or values in a row, such as `Lan, Minh` and in Chinese `Lan、Minh`. */
export const enumerated = (names: string[]) => names.join(isChinese() ? '、' : ', ')

/** A text with more in brackets, such as `All (9)` and in Chinese `全部（9）`. */
export const bracketed = (text: string, more: string) =>
  isChinese() ? `${text}（${more}）` : `${text} (${more})`

/** A value after its name, such as `From: 9:30` and in Chinese `开始：9:30`. */
export const labelled = (name: string, value: string) => `${name}${isChinese() ? '：' : ': '}${value}`
