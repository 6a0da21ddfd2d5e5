import { Alert, Button, Group, Menu, Stack, Text, Textarea } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { IconBraces } from '@tabler/icons-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'
import { useTextMistake, useVariables } from './text-variables.ts'

type Props = GetInputPropsReturnType & {
  label: string
  hint: string | undefined
  isRequired: boolean
  /** The rows of an empty text. */
  rows: number
  max: number
  /** WhatsApp may cut off what is longer. */
  adviseBelow: number | undefined
}

/** The text of a message with the number of its characters. Takes the input props of the form's field. */
export function MessageText({ label, hint, isRequired, rows, max, adviseBelow, ...props }: Props) {
  const { t } = useTranslation()
  const area = useRef<HTMLTextAreaElement>(null)
  const text = String(props.value)
  const mistake = useTextMistake(text)
  /** Puts the variable in the place of what is selected, and the cursor behind it. */
  const insert = (key: string) => {
    const { selectionStart, selectionEnd } = area.current ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    }
    const variable = `{{${key}}}`
    props.onChange(text.slice(0, selectionStart) + variable + text.slice(selectionEnd))
    // After the menu has given the focus back to its button.
    setTimeout(() => {
      area.current?.focus()
      area.current?.setSelectionRange(selectionStart + variable.length, selectionStart + variable.length)
    })
  }
  return (
    <Stack gap={4}>
      <Textarea
        label={label}
        description={hint}
        required={isRequired}
        autosize
        minRows={rows}
        maxRows={16}
        dir="auto"
        {...props}
        error={props.error ?? mistake}
        ref={area}
      />
      <Group justify="space-between" gap="xs">
        <VariableMenu onChoose={insert} />
        <Text size="xs" c={text.length > max ? 'var(--mantine-color-error)' : 'dimmed'}>
          {formatNumber(text.length)}/{formatNumber(max)}
        </Text>
      </Group>
      {adviseBelow !== undefined && text.length > adviseBelow && (
        <Alert color="yellow" role="status">
          {t('MESSAGE.CAPTION_LONG', { caption: formatNumber(adviseBelow) })}
        </Alert>
      )}
    </Stack>
  )
}

function VariableMenu({ onChoose }: { onChoose: (key: string) => void }) {
  const { t } = useTranslation()
  const variables = useVariables()
  return (
    // The placeholder would be an element of the menu that is no item.
    <Menu position="bottom-start" returnFocus withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" leftSection={<IconBraces size={16} aria-hidden />}>
          {t('MESSAGE.VARIABLE_INSERT')}
        </Button>
      </Menu.Target>
      {/* Scrolls itself: a box between the menu and its items would hide them from screen readers. */}
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Menu.Item onClick={() => onChoose('name')}>{t('MESSAGE.VARIABLE_NAME')}</Menu.Item>
        {variables.map(({ key, name }) => (
          <Menu.Item key={key} onClick={() => onChoose(key)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
