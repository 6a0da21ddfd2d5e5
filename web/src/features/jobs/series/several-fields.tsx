import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

type Props = {
  label: string
  description?: string
  /** The name of one of the fields, for screen readers. */
  one: string
  add: string
  type: 'time' | 'date'
  min?: number
  max: number
  /** The value of a field that is added. */
  first?: string
  values: string[]
  onChange: (values: string[]) => void
  error: ReactNode
  errorOf: (place: number) => ReactNode
}

/** Several times or dates, each in a field that can be removed. */
export function SeveralFields(props: Props) {
  const { label, description, one, add, type, min = 0, max, first = '', values, onChange, error } = props
  const { t } = useTranslation()
  const nameOf = (place: number) => `${one} ${place + 1}`
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      labelElement="div"
      required={min > 0}
    >
      <Stack gap="xs" mt={4}>
        {values.map((value, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity
          <Group key={place} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              aria-label={nameOf(place)}
              type={type}
              flex="0 1 12rem"
              value={value}
              error={props.errorOf(place)}
              onChange={(event) => onChange(values.with(place, event.currentTarget.value))}
            />
            {values.length > min && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('FORM.REMOVE_ROW', { name: nameOf(place) })}
                onClick={() => onChange(values.toSpliced(place, 1))}
              >
                <IconX size={18} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {values.length < max && (
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange([...values, first])}
            >
              {add}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  )
}
