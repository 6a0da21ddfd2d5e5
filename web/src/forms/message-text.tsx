import { Stack, Text, Textarea } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'

/** The text of a message with the number of its characters. Takes the input props of the form's field. */
export function MessageText(props: GetInputPropsReturnType) {
  const { t } = useTranslation()
  const { length } = String(props.value)
  return (
    <Stack gap={4}>
      <Textarea
        label={t('MESSAGE.TEXT')}
        description={t('MESSAGE.TEXT_HINT')}
        required
        autosize
        minRows={5}
        maxRows={16}
        dir="auto"
        {...props}
      />
      <Text size="xs" ta="right" c={length > limits.messageText ? 'var(--mantine-color-error)' : 'dimmed'}>
        {formatNumber(length)}/{formatNumber(limits.messageText)}
      </Text>
    </Stack>
  )
}
