import type { ContactFieldType } from '@sendroom/contract/contact-fields'
import { isInsertable } from '@sendroom/contract/personal-text'

type Field = { type: ContactFieldType; choices: readonly string[] }
type Value = string | number | boolean

const DATE = /^\d{4}-\d{2}-\d{2}$/
/** JavaScript writes such a number without an exponent. */
const NUMBER = /^-?\d{1,15}(\.\d{1,6})?$/
/** A number with more digits would change silently, as a customer's number of twenty digits would. */
const MAX_DIGITS = 15

/**
 * Returns the one spelling in which a value is stored and compared, or null if it does not fit the field. Numbers and
 * yes or no may also be written as text, as in a form.
 */
export function spellingOf({ type, choices }: Field, value: Value): string | null {
  const text = String(value).normalize('NFC').trim()
  switch (type) {
    case 'text':
      return typeof value === 'string' && isInsertable(text) ? text : null
    case 'choice':
      return choices.includes(text) ? text : null
    case 'number':
      return NUMBER.test(text) && text.replace(/^-?0+|\D/g, '').length <= MAX_DIGITS
        ? String(Number(text))
        : null
    case 'yesNo':
      return text === 'true' || text === 'false' ? text : null
    case 'date':
      return isDay(text) ? text : null
  }
}

/** Whether there is such a day in the calendar. */
function isDay(text: string): boolean {
  const day = DATE.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** Whether a form has left the field empty. */
export const isEmpty = (value: Value | null) =>
  value === null || (typeof value === 'string' && value.trim() === '')
