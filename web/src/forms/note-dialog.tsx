import { Textarea } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import { FieldDialog, type FieldDialogProps } from './field-dialog.tsx'

type Props = FieldDialogProps & {
  /** The field of the note, with its input props. */
  field: GetInputPropsReturnType & {
    label: string
    description: string
    required?: boolean
    maxLength?: number
  }
}

/** Asks for a note before an action, such as the end of an opt-out. */
export const NoteDialog = ({ field, ...dialog }: Props) => (
  <FieldDialog {...dialog}>
    <Textarea autosize minRows={2} maxLength={limits.optOutNote} data-autofocus {...field} />
  </FieldDialog>
)
