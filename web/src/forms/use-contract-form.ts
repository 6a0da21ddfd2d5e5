import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form'
import i18next from 'i18next'
import { useCallback, useEffect, useRef } from 'react'
import type { z } from 'zod'
import { fieldTexts } from '../api/failure.ts'
import { currentUser } from '../api/session.ts'
import { giveFocus } from '../ui/focus.ts'
import { addToast } from '../ui/toasts.ts'
import { keepValues, useKeptValues, useUnsaved } from './use-unsaved.ts'

type Options<Values> = {
  initialValues: Values
  /**
   * Sends the form. If it rejects, the values stay and the server's errors are shown at their fields. The toast comes
   * from the call (api/use-action.ts), and the dialog about somebody else's change from use-versioned.tsx.
   */
  send: (values: Values) => Promise<unknown>
  /** Runs after a successful send, unless the user has left the form. */
  onSent?: () => unknown
  /** Whether leaving with unsaved values asks first. True by default. */
  isGuarded?: boolean
  /** Runs on an invalid submit. By default a toast asks to correct the errors. */
  onInvalid?: (errors: Record<string, unknown>) => void
}

/** An invalid field, or the button that opens its picker: `aria-invalid` is not allowed on buttons. */
const INVALID_FIELD = '[aria-invalid="true"], button[data-invalid]'

/** `send` resolves to this if nothing was saved: the user chose somebody else's values, which replace these. */
export const LOADED_THEIRS = Symbol('theirs')

const showInvalidToast = () => addToast({ type: 'error', msg: i18next.t('TOAST.FORM_INVALID') })

/**
 * A form validated by a schema of the contract. A field's error appears once the field was changed or left, and all
 * errors appear on an invalid submit. Spread `form.getInputProps('name')` on inputs and give `onSubmit` to the form
 * element. Leaving with unsaved values asks first.
 */
export function useContractForm<S extends z.ZodType, Values extends z.input<S> & Record<string, unknown>>(
  schema: S,
  { initialValues, send, onSent, isGuarded = true, onInvalid = showInvalidToast }: Options<Values>,
) {
  const start = useKeptValues(initialValues)
  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues: start.values,
    validate: schemaResolver(schema, { sync: true }),
    validateInputOnChange: true,
    validateInputOnBlur: true,
    // The schema's messages are translation keys. Translating them on render follows a change of language.
    // The server's errors are already texts.
    enhanceGetInputProps: ({ inputProps: { error } }) => ({
      error: typeof error === 'string' && i18next.exists(error) ? i18next.t(error) : error,
    }),
  })
  const saved = useRef(initialValues)
  const isSending = useRef(false)
  useUnsaved({
    key: start.key,
    values: form.getValues,
    isUnsaved: () => isGuarded && asText(form.getValues()) !== asText(saved.current),
    // No question while sending: if it fails, the values are kept.
    mayLeave: () => isSending.current,
  })
  const isHere = useIsHere()
  const refused = useRef<EventTarget | null>(null)
  const focused = useRef<Element | null>(null)
  useEffect(() => {
    if (!(refused.current instanceof HTMLElement)) return
    // The fields are marked by now. On a phone the first invalid one may be a screen above the button.
    refused.current.querySelector<HTMLElement>(INVALID_FIELD)?.focus()
    // The fieldset was disabled during sending, so its fields have lost the focus.
    giveFocus(focused.current)
    refused.current = null
  })
  const onSubmit = form.onSubmit(
    async (values, event) => {
      if (isSending.current) return
      isSending.current = true
      focused.current = document.activeElement
      // Read before sending: if the session ends meanwhile, nobody is signed in afterwards.
      const userId = currentUser()?.id
      try {
        const sent = await send(values)
        saved.current = form.getValues()
        if (isHere.current && sent !== LOADED_THEIRS) await onSent?.()
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
  /** Sets several fields at once. The form's own `setValues` would also clear the errors of all other fields. */
  const change = (values: Partial<Values>) => {
    const others = Object.entries(form.errors).filter(([field]) => !Object.hasOwn(values, field))
    form.setValues(values)
    form.setErrors(Object.fromEntries(others))
  }
  const { setFieldValue } = form
  /** Sets a field that the user did not fill in. Leaving the form does not ask because of it. */
  const preset = useCallback(
    <F extends keyof Values & string>(field: F, value: Values[F]) => {
      saved.current = { ...saved.current, [field]: value }
      setFieldValue(field, value as never)
    },
    [setFieldValue],
  )
  return { form, onSubmit, change, preset }
}

/** A ref that becomes false when the component unmounts. */
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

/** For comparing values. A file becomes `{}`, which still differs from null. */
const asText = (values: unknown) => JSON.stringify(values)
