import { Group, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { MessageContent } from '@sendroom/contract/message-content'
import { useTranslation } from 'react-i18next'
import { truncate } from '../format.ts'
import { kindIcons, kindWords } from './kind-icon.tsx'
import classes from './message-title.module.css'
import { Name } from './name.tsx'
import { Picture } from './picture.tsx'

const THUMBNAIL = 40

type Props = {
  text: string
  imageUrl: string | null
  content: MessageContent | null
  /** Shown before the text. */
  name?: string
}

/** The beginning of a message's text, with its image or the icon of its kind. */
export const MessageTitle = ({ text, imageUrl, content, name = '' }: Props) => (
  <Group gap="xs" wrap="nowrap">
    {imageUrl && <Picture src={imageUrl} alt="" w={THUMBNAIL} h={THUMBNAIL} fit="cover" flex="none" />}
    {content && <Kind kind={content.kind} />}
    <div className={classes.text ?? ''}>
      {name !== '' && (
        <Text size="sm" fw={500} className={classes.text ?? ''}>
          <Name>{name}</Name>
        </Text>
      )}
      <Text size="sm" title={text} className={classes.text ?? ''}>
        <Name>{truncate(text, limits.titleLength)}</Name>
      </Text>
    </div>
  </Group>
)

function Kind({ kind }: { kind: MessageContent['kind'] }) {
  const { t } = useTranslation()
  const Icon = kindIcons[kind]
  const words = t(kindWords(kind))
  return (
    <span className={classes.kind} role="img" aria-label={words} title={words}>
      <Icon size={20} stroke={1.5} aria-hidden />
    </span>
  )
}
