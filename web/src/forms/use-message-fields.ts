import type { GetInputPropsReturnType, UseFormReturnType } from '@mantine/form'
import type { ContentValues, WrittenValues } from './content-values.ts'
import { type Upload, useUpload } from './use-upload.ts'

/** The fields of a message, wherever a form keeps them. Names are those of the contract, such as `content.address`. */
export type MessageFields = {
  values: WrittenValues
  isBusy: boolean
  upload: Upload
  input: (name: string) => GetInputPropsReturnType
  set: <Name extends keyof ContentValues>(name: Name, value: ContentValues[Name]) => void
  /** Shows a translation key as the error of a field, or clears its error. */
  setError: (name: string, error: string | null) => void
  clearErrors: () => void
  addOption: () => void
  removeOption: (at: number) => void
  moveOption: (from: number, to: number) => void
}

/** `prefix` is where the form keeps the message, such as `message.`. The page that calls this uploads the file. */
export function useMessageFields<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  values: WrittenValues,
  prefix = '',
): MessageFields {
  const nameOf = (name: string) => `${prefix}${name}`
  const set: MessageFields['set'] = (name, value) =>
    form.setFieldValue(nameOf(`content.${name}`), value as never)
  const upload = useUpload(({ name, fileName, mimeType, size, seconds, kinds, whyNot }) => {
    set('file', { name, mimeType, size, seconds, kinds, whyNot })
    set('fileName', fileName)
  })
  const options = nameOf('content.options')
  return {
    ...{ values, upload, set, isBusy: form.submitting },
    input: (name) => form.getInputProps(nameOf(name)),
    setError: (name, error) => form.setFieldError(nameOf(name), error),
    clearErrors: form.clearErrors,
    addOption: () => form.insertListItem(options, '' as never),
    removeOption: (at) => form.removeListItem(options, at),
    moveOption: (from, to) => form.reorderListItem(options, { from, to }),
  }
}
