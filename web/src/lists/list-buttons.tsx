import { Button } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { paths } from '../paths.ts'
import { barred } from '../ui/barred.ts'
import { BusyButton } from '../ui/busy-button.tsx'
import { confirm } from '../ui/confirm.ts'

type AddProps = {
  to: (typeof paths)[keyof typeof paths]
  /** A key. */
  label: string
  /** Why one may not, in words: bars the button. */
  reason: string | undefined
}

/** Leads to the form of a new row. */
export function AddButton({ to, label, reason }: AddProps) {
  const { t } = useTranslation()
  const look = { leftSection: <IconPlus size={16} aria-hidden />, children: t(label) }
  return reason === undefined ? (
    <Button component={Link} to={to} {...look} />
  ) : (
    <Button {...barred(reason)} {...look} />
  )
}

type BulkDeleteProps = {
  selected: { id: number }[]
  /** A key that asks for `{{count}}` rows. */
  question: string
  isBusy: boolean
  reason: string | undefined
  onDelete: (ids: number[]) => void
}

/** Deletes the selected rows, once it is confirmed; shows how many they are. */
export function BulkDeleteButton({ selected, question, isBusy, reason, onDelete }: BulkDeleteProps) {
  const { t } = useTranslation()
  const count = selected.length
  const askAndDelete = async () => {
    const isSure = await confirm({
      message: t(question, { count }),
      confirmText: t('COMMON.DELETE'),
      confirmColor: 'red',
    })
    if (isSure) onDelete(selected.map(({ id }) => id))
  }
  return (
    <BusyButton
      variant="default"
      leftSection={<IconTrash size={16} aria-hidden />}
      disabled={count === 0 && reason === undefined}
      isBusy={isBusy}
      onClick={askAndDelete}
      {...(reason !== undefined && barred(reason))}
    >
      {t('COMMON.DELETE_SELECTED', { count })}
    </BusyButton>
  )
}
