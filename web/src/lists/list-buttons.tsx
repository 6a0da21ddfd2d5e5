import { Button } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { LinkProps } from '@tanstack/react-router'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../ui/busy-button.tsx'
import { disabledProps } from '../ui/button-props.ts'
import { confirm } from '../ui/confirm.ts'

type AddProps = {
  to: LinkProps['to']
  /** A translation key. */
  label: string
  /** Disables the button and says why. */
  reason: string | undefined
}

/** Opens the form for a new row. */
export function AddButton({ to, label, reason }: AddProps) {
  const { t } = useTranslation()
  const look = { leftSection: <IconPlus size={16} aria-hidden />, children: t(label) }
  return reason === undefined ? (
    <Button component={Link} to={to} {...look} />
  ) : (
    <Button {...disabledProps(reason)} {...look} />
  )
}

type BulkDeleteProps = {
  selected: { id: number }[]
  /** Translation key of the confirmation, with `{{count}}` for the number of rows. */
  question: string
  isBusy: boolean
  reason: string | undefined
  onDelete: (ids: number[]) => void
}

/** Deletes the selected rows after a confirmation. Shows their number. */
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
      {...(reason !== undefined && disabledProps(reason))}
    >
      {t('COMMON.DELETE_SELECTED', { count })}
    </BusyButton>
  )
}
