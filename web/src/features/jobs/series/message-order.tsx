import { Group, Input, Stack, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { type Choices, NamedSelect } from '../../../forms/named-select.tsx'
import { OrderButtons } from '../../../forms/order-buttons.tsx'
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
  const move = (place: number, by: 1 | -1) => {
    const moved = value[place] as number
    onChange(value.toSpliced(place, 1).toSpliced(place + by, 0, moved))
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
            return (
              <Group component="li" key={messageId} gap={4} wrap="nowrap" justify="space-between">
                <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                  <Name>{`${place + 1}. ${name}`}</Name>
                </Text>
                <OrderButtons
                  listId={id}
                  name={name}
                  place={place}
                  count={value.length}
                  onMove={(by) => move(place, by)}
                  onRemove={() => onChange(value.toSpliced(place, 1))}
                />
              </Group>
            )
          })}
        </Input.Wrapper>
      )}
    </Stack>
  )
}
