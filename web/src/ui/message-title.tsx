import { Group, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { truncate } from '../format.ts'
import classes from './message-title.module.css'
import { Name } from './name.tsx'
import { Picture } from './picture.tsx'

const THUMBNAIL = 40

/** The beginning of a message's text, with its image. */
export const MessageTitle = ({ text, imageUrl }: { text: string; imageUrl: string | null }) => (
  <Group gap="xs" wrap="nowrap">
    {imageUrl && <Picture src={imageUrl} alt="" w={THUMBNAIL} h={THUMBNAIL} fit="cover" flex="none" />}
    <Text size="sm" title={text} className={classes.text ?? ''}>
      <Name>{truncate(text, limits.titleLength)}</Name>
    </Text>
  </Group>
)
