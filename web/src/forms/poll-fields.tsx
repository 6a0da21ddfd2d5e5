import { Box, Button, Checkbox, Group, Input, Stack, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { OrderButtons } from './order-buttons.tsx'
import type { MessageFields } from './use-message-fields.ts'

/** The answers of a poll in their order. */
export function PollFields({ fields }: { fields: MessageFields }) {
  const { t } = useTranslation()
  const id = useId()
  const { options, allowsSeveral } = fields.values.content
  const { error } = fields.input('content.options')
  const isFull = options.length >= limits.pollOptionsMax
  const focus = (at: number) => setTimeout(() => document.getElementById(`${id}${at}`)?.focus())
  const clearCommonError = () => error && fields.setError('content.options', null)
  const add = () => {
    fields.addOption()
    focus(options.length)
  }
  const remove = (at: number) => {
    fields.removeOption(at)
    clearCommonError()
    focus(Math.max(0, at - 1))
  }
  /** As in WhatsApp. The form is not sent. */
  const toNext = (event: KeyboardEvent, at: number) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (at + 1 < options.length) focus(at + 1)
    else if (!isFull) add()
  }
  return (
    <>
      <Input.Wrapper component="fieldset" p={0} m={0} bd="none" error={error}>
        <Input.Label component="legend" required p={0}>
          {t('MESSAGE.OPTIONS')}
        </Input.Label>
        <Stack gap={6}>
          {options.map((option, at) => {
            const { onChange, ...input } = fields.input(`content.options.${at}`)
            const name = t('MESSAGE.OPTION', { number: at + 1 })
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: an answer has no other identity, and may be typed twice
              <Group key={at} gap={4} wrap="nowrap" align="start">
                <TextInput
                  id={`${id}${at}`}
                  flex={1}
                  aria-label={name}
                  placeholder={name}
                  maxLength={limits.pollOption}
                  {...input}
                  onChange={(event) => {
                    clearCommonError()
                    onChange(event)
                  }}
                  onKeyDown={(event) => toNext(event, at)}
                />
                <Box mt={4}>
                  <OrderButtons
                    listId={id}
                    name={option || name}
                    place={at}
                    count={options.length}
                    onMove={(by) => fields.moveOption(at, at + by)}
                    onRemove={options.length > limits.pollOptionsMin ? () => remove(at) : undefined}
                  />
                </Box>
              </Group>
            )
          })}
        </Stack>
      </Input.Wrapper>
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={isFull}
          onClick={add}
        >
          {t('MESSAGE.ADD_OPTION')}
        </Button>
      </Group>
      <Checkbox
        label={t('MESSAGE.ALLOWS_SEVERAL')}
        checked={allowsSeveral}
        onChange={(event) => fields.set('allowsSeveral', event.currentTarget.checked)}
      />
    </>
  )
}
