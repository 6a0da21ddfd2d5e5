import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import { IconArrowUp, IconPlus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ContactValues } from './contact-values.ts'

type Props = { form: UseFormReturnType<ContactValues>; lid: string | null }

/** The phone numbers in their order: messages go to the first one. */
export function NumbersField({ form, lid }: Props) {
  const { t } = useTranslation()
  const numbers = form.getValues().phoneNumbers
  const { error } = form.getInputProps('phoneNumbers')
  return (
    <Input.Wrapper
      label={t('CONTACT.NUMBERS')}
      required={lid === null}
      description={t(lid === null ? 'CONTACT_FORM.NUMBERS_HINT' : 'CONTACT_FORM.HIDDEN_HINT', { lid })}
      labelElement="div"
      error={error}
    >
      <Stack gap="xs" mt={6} mb={error ? 6 : 0}>
        {numbers.map((_, place) => (
          // Numbers have no ids, and each field is drawn from the form's values.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <NumberRow key={place} form={form} place={place} mayRemove={numbers.length > 1 || lid !== null} />
        ))}
        {numbers.length < limits.contactNumbers && (
          <Group>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => form.insertListItem('phoneNumbers', '')}
            >
              {t('CONTACT_FORM.ADD_NUMBER')}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  )
}

type RowProps = { form: Props['form']; place: number; mayRemove: boolean }

function NumberRow({ form, place, mayRemove }: RowProps) {
  const { t } = useTranslation()
  const number = place + 1
  return (
    <Group gap={4} wrap="nowrap" align="start">
      <TextInput
        flex={1}
        type="tel"
        autoComplete="off"
        maxLength={50}
        placeholder="+84 901 234 567"
        aria-label={t('CONTACT_FORM.NUMBER', { number })}
        rightSectionWidth="auto"
        rightSection={
          place === 0 && (
            <Text size="xs" c="dimmed" px="xs">
              {t('CONTACT.PRIMARY')}
            </Text>
          )
        }
        {...form.getInputProps(`phoneNumbers.${place}`)}
      />
      {place > 0 && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('CONTACT_FORM.MOVE_UP', { number })}
          onClick={() => form.reorderListItem('phoneNumbers', { from: place, to: place - 1 })}
        >
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
      )}
      {mayRemove && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('CONTACT_FORM.REMOVE_NUMBER', { number })}
          onClick={() => form.removeListItem('phoneNumbers', place)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}
