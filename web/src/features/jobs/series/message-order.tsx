import { ActionIcon, Group, Input, Stack, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { IconArrowDown, IconArrowUp, IconX, type TablerIcon } from '@tabler/icons-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { type Choices, NamedSelect } from '../../../forms/named-select.tsx'
import { giveFocus } from '../../../ui/focus.ts'
import { Name } from '../../../ui/name.tsx'

type Props = {
  messages: Choices
  value: number[]
  onChange: (ids: number[]) => void
  error: ReactNode
}

/** The messages of a series in their order. Each run sends the next one. */
export function MessageOrder({ messages, value, onChange, error }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const nameOf = new Map(messages.options?.map((message) => [message.id, message.name]))
  const buttonOf = (messageId: number, action: string) =>
    document.getElementById(`${id}${messageId}${action}`)
  const move = (place: number, by: 1 | -1) => {
    const moved = value[place] as number
    onChange(value.toSpliced(place, 1).toSpliced(place + by, 0, moved))
    // The row's buttons have moved with it.
    const isAtEnd = place + by === (by === 1 ? value.length - 1 : 0)
    setTimeout(() => giveFocus(buttonOf(moved, isAtEnd === (by === 1) ? 'up' : 'down')))
  }
  return (
    <Stack gap="xs">
      <NamedSelect
        label={t('SERIES.MESSAGES')}
        description={t('SERIES.MESSAGES_HINT')}
        required
        choices={{ ...messages, options: messages.options?.filter((message) => !value.includes(message.id)) }}
        placeholder={t(value.length === 0 ? 'FORM.CHOOSE' : 'SERIES.ADD_MESSAGE')}
        disabled={value.length >= limits.seriesMessages}
        value={0}
        onChange={(chosen) => onChange([...value, chosen])}
        error={error}
      />
      {value.length > 0 && (
        <Input.Wrapper
          component="ol"
          m={0}
          p={0}
          aria-label={t('SERIES.MESSAGES')}
          style={{ listStyle: 'none' }}
        >
          {value.map((messageId, place) => {
            const name = nameOf.get(messageId) ?? `#${messageId}`
            const button = (
              action: string,
              label: string,
              icon: TablerIcon,
              onClick: () => void,
              disabled = false,
            ) => (
              <RowButton
                id={`${id}${messageId}${action}`}
                label={t(label, { name })}
                {...{ icon, onClick, disabled }}
              />
            )
            return (
              <Group component="li" key={messageId} gap={4} wrap="nowrap" justify="space-between">
                <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                  <Name>{`${place + 1}. ${name}`}</Name>
                </Text>
                <Group gap={2} wrap="nowrap" flex="none">
                  {button('up', 'SERIES.MOVE_UP', IconArrowUp, () => move(place, -1), place === 0)}
                  {button(
                    'down',
                    'SERIES.MOVE_DOWN',
                    IconArrowDown,
                    () => move(place, 1),
                    place === value.length - 1,
                  )}
                  {button('x', 'SERIES.REMOVE', IconX, () => onChange(value.toSpliced(place, 1)))}
                </Group>
              </Group>
            )
          })}
        </Input.Wrapper>
      )}
    </Stack>
  )
}

type ButtonProps = { id: string; label: string; icon: TablerIcon; onClick: () => void; disabled: boolean }

const RowButton = ({ label, icon: Icon, ...rest }: ButtonProps) => (
  <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} {...rest}>
    <Icon size={18} aria-hidden />
  </ActionIcon>
)
