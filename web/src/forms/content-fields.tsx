import { Group, Text, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { type ClipboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFileKind } from './content-values.ts'
import { isLink, readCoordinates } from './coordinates.ts'
import { FileField } from './file-field.tsx'
import { PollFields } from './poll-fields.tsx'
import type { MessageFields } from './use-message-fields.ts'

/** The fields of a message that is no text. */
export function ContentFields({ fields }: { fields: MessageFields }) {
  const { kind } = fields.values.content
  if (kind === 'poll') return <PollFields fields={fields} />
  if (kind === 'location') return <PlaceFields fields={fields} />
  return isFileKind(kind) && <FileField fields={fields} kind={kind} />
}

/** A place. Coordinates, or the link of a map, can be pasted into either field. */
function PlaceFields({ fields }: { fields: MessageFields }) {
  const { t } = useTranslation()
  const [isLinkWithout, setLinkWithout] = useState(false)
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain')
    const found = readCoordinates(text)
    setLinkWithout(!found && isLink(text))
    if (!found && !isLink(text)) return
    event.preventDefault()
    if (!found) return
    fields.set('latitude', found.latitude)
    fields.set('longitude', found.longitude)
  }
  const coordinate = (name: 'latitude' | 'longitude', label: string) => (
    <TextInput
      label={t(label)}
      inputMode="text"
      autoComplete="off"
      required
      flex="1 1 8rem"
      {...fields.input(`content.${name}`)}
      onPaste={paste}
    />
  )
  return (
    <>
      <Group align="start" gap="sm">
        {coordinate('latitude', 'MESSAGE.LATITUDE')}
        {coordinate('longitude', 'MESSAGE.LONGITUDE')}
      </Group>
      <Text size="xs" c={isLinkWithout ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {t(isLinkWithout ? 'MESSAGE.LINK_WITHOUT_PLACE' : 'MESSAGE.PLACE_HINT')}
      </Text>
      <TextInput
        label={t('MESSAGE.ADDRESS')}
        maxLength={limits.locationAddress}
        {...fields.input('content.address')}
      />
    </>
  )
}
