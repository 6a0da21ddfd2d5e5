import { Group, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { truncate } from '../format.ts'
import classes from './message-title.module.css'
import { Name } from './name.tsx'
import { Picture } from './picture.tsx'

const THUMBNAIL = 40

type Props = {
  text: string
  imageUrl: string | null
  /** Shown before the text. */
  name?: string
}

/** The beginning of a message's text, with its image. */
export const MessageTitle = ({ text, imageUrl, name = '' }: Props) => (
  <Group gap="xs" wrap="nowrap">
    {imageUrl && <Picture src={imageUrl} alt="" w={THUMBNAIL} h={THUMBNAIL} fit="cover" flex="none" />}
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
