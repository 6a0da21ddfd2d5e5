import { Group, Input, Text } from '@mantine/core'
import type { Group as GroupRow } from '@sendroom/contract/groups'
import { IconUsersGroup } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'
import { enumerated } from '../i18n/punctuation.ts'
import { counted } from '../i18n/words.ts'
import { BusyButton } from '../ui/busy-button.tsx'
import { ChannelBadge } from '../ui/channel-badge.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import type { Option } from './pick-dialog.tsx'
import { useGroups } from './use-choices.ts'

const PickDialog = lazyComponent(async () => (await import('./pick-dialog.tsx')).PickDialog)

type Props = {
  instanceId: number
  pageSize: number
  required?: boolean
  /** Leaves out channels. */
  onlyGroups?: boolean
  value: number[]
  onChange: (ids: number[]) => void
  error?: ReactNode
}

/** Chooses groups of one instance. Remount it for another instance, with the id as its `key`. */
export function GroupPicker({ instanceId, pageSize, required, onlyGroups, value, onChange, error }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const { data: groups, fetchStatus, refetch } = useGroups(instanceId, pageSize)
  // After a failed read the button reads the groups again.
  const open = async () => {
    if (groups || (await refetch()).data) setOpen(true)
  }
  const chosenIds = new Set(value)
  const count = t('FORM.CHOSEN', { number: formatNumber(value.length) })
  return (
    <Input.Wrapper
      label={t('FORM.GROUPS')}
      description={instanceId === 0 && t('FORM.INSTANCE_FIRST')}
      error={error}
      errorProps={{ id }}
      required={required ?? false}
      labelElement="div"
    >
      <Group gap="sm" my={4}>
        <BusyButton
          variant="default"
          leftSection={<IconUsersGroup size={16} aria-hidden />}
          disabled={instanceId === 0}
          isBusy={fetchStatus !== 'idle' && !groups}
          {...(error && { 'data-invalid': true, 'aria-describedby': id })}
          onClick={open}
        >
          {t('FORM.CHOOSE_GROUPS')}
        </BusyButton>
        <Text size="sm" c="dimmed" aria-live="polite">
          {count}
        </Text>
        <ChosenNames names={groups?.filter(({ id }) => chosenIds.has(id)).map(({ name }) => name) ?? []} />
      </Group>
      {isOpen && groups && (
        <PickDialog
          title={t('FORM.CHOOSE_GROUPS')}
          options={groups
            .filter(({ kind }) => kind === 'group' || !onlyGroups)
            .map((group) => optionOf(group, t))}
          chosen={value}
          onConfirm={(ids) => {
            onChange(ids)
            setOpen(false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Input.Wrapper>
  )
}

function optionOf({ id, name, kind, hasLeft, participantCount }: GroupRow, t: TFunction): Option {
  if (kind === 'group') return { id, name, disabledReason: hasLeft ? t('GROUP.LEFT') : undefined }
  return {
    ...{ id, name, badge: <ChannelBadge /> },
    note: t('GROUP.FOLLOWERS', counted(participantCount)),
    disabledReason: hasLeft ? t('GROUP.NO_POSTING') : undefined,
  }
}

const NAMED = 3

/** The first of the chosen groups, and how many more there are. */
function ChosenNames({ names }: { names: string[] }) {
  const { t } = useTranslation()
  if (names.length === 0) return null
  const more = names.length - NAMED
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <bdi>{enumerated(names.slice(0, NAMED))}</bdi>
      {more > 0 && ` ${t('COMMON.AND_MORE', { number: formatNumber(more) })}`}
    </Text>
  )
}
