/** What stands for a date that is typed in part: no rule takes it, so nothing is sent. */
export const HALF_TYPED = 'half-typed'

/**
 * Whether a date field has to be read before its form is sent: the browser does not tell when half a date is typed, and
 * Enter leaves no field. One where nobody is keeps what the form has: half a date may come from before the sign-in.
 */
export const isToBeRead = (input: HTMLInputElement) =>
  input.validity.badInput || input === document.activeElement
