import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form'
import i18next from 'i18next'
import { useEffect, useRef } from 'react'
import type { z } from 'zod'
import { fieldTexts } from '../api/failure.ts'
import { currentUser } from '../api/session.ts'
import { giveFocus } from '../ui/focus.ts'
import { addToast } from '../ui/toasts.ts'
import { keepValues, useKeptValues, useUnsaved } from './use-unsaved.ts'

type Options<Values> = {
  initialValues: Values
  /** Sends the form. When it rejects, what was typed stays, and the server's sentences land on their fields. */
  send: (values: Values) => Promise<unknown>
  /** What comes next, for those who are still here. */
  onSent?: () => unknown
  /** Whether what is typed is worth a question before it is lost. */
  isGuarded?: boolean
  /** What an invalid submit says; else the toast of all forms. */
  onInvalid?: (errors: Record<string, unknown>) => void
}

/** A field, or the button that fills it: a button can't be `aria-invalid`. */
const WRONG = '[aria-invalid="true"], button[data-invalid]'

const sayInvalid = () => addToast({ type: 'error', msg: i18next.t('TOAST.FORM_INVALID') })

/**
 * A form by a schema of the contract. Errors appear once a field was changed or left, and everywhere on an
 * invalid submit. Spread `form.getInputProps('name')` on an input, give `onSubmit` to the form element.
 * Whoever leaves with something typed is asked first; after `send` nothing is unsaved.
 */
export function useContractForm<S extends z.ZodType, Values extends z.input<S> & Record<string, unknown>>(
  schema: S,
  { initialValues, send, onSent, isGuarded = true, onInvalid = sayInvalid }: Options<Values>,
) {
  const start = useKeptValues(initialValues)
  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues: start.values,
    validate: schemaResolver(schema, { sync: true }),
    validateInputOnChange: true,
    validateInputOnBlur: true,
    // The schema's messages are keys: translated here, they follow a change of language. The server's are texts.
    enhanceGetInputProps: ({ inputProps: { error } }) => ({
      error: typeof error === 'string' && i18next.exists(error) ? i18next.t(error) : error,
    }),
  })
  const saved = useRef(asText(initialValues))
  const isSending = useRef(false)
  useUnsaved({
    key: start.key,
    values: form.getValues,
    isUnsaved: () => isGuarded && asText(form.getValues()) !== saved.current,
    // If sending fails, it is kept.
    mayLeave: () => isSending.current,
  })
  const isHere = useIsHere()
  const refused = useRef<EventTarget | null>(null)
  const focused = useRef<Element | null>(null)
  useEffect(() => {
    if (!(refused.current instanceof HTMLElement)) return
    // The fields are marked now. Whoever pressed the button may not see them: on a phone they stand a screen above.
    refused.current.querySelector<HTMLElement>(WRONG)?.focus()
    // While it was sent its fields were disabled.
    giveFocus(focused.current)
    refused.current = null
  })
  const onSubmit = form.onSubmit(
    async (values, event) => {
      if (isSending.current) return
      isSending.current = true
      focused.current = document.activeElement
      // What fails may be the session: then nobody is signed in any more.
      const userId = currentUser()?.id
      try {
        await send(values)
        saved.current = asText(form.getValues())
        if (isHere.current) await onSent?.()
      } catch (error) {
        refused.current = event?.target ?? null
        form.setErrors(fieldTexts(error))
        if (!isHere.current && isGuarded) keepValues(start.key, form.getValues(), userId)
      }
      isSending.current = false
    },
    (errors, _, event) => {
      refused.current = event?.target ?? null
      form.setTouched(Object.fromEntries(Object.keys(form.getValues()).map((field) => [field, true])))
      onInvalid(errors)
    },
  )
  /** Several fields at once. The form's own `setValues` would take away the errors of all others as well. */
  const change = (values: Partial<Values>) => {
    const others = Object.entries(form.errors).filter(([field]) => !(field in values))
    form.setValues(values)
    form.setErrors(Object.fromEntries(others))
  }
  return { form, onSubmit, change }
}

/** False once one has left. */
function useIsHere() {
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return isHere
}

/** A chosen file is no text, but differs from none. */
const asText = (values: unknown) => JSON.stringify(values)
