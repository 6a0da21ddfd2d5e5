/** The value of a half-typed date. Every schema refuses it, so the form can't be sent. */
export const HALF_TYPED = 'half-typed'

/**
 * Whether a date field must be read again when its form is submitted. Browsers fire no event for a half-typed date, and
 * submitting with Enter does not blur the field. An unfocused, valid field keeps the form's value, which may be a
 * half-typed date restored after a sign-in.
 */
export const shouldReadDate = (input: HTMLInputElement) =>
  input.validity.badInput || input === document.activeElement
