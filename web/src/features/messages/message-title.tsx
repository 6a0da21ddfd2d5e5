import { Group, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { MessageRow } from '@sendroom/contract/messages'
import { truncate } from '../../format.ts'
import { Name } from '../../ui/name.tsx'
import { Picture } from '../../ui/picture.tsx'

const THUMBNAIL = 40

/** The beginning of a message's text, with its image. */
export const MessageTitle = ({ message }: { message: MessageRow }) => (
  <Group gap="xs" wrap="nowrap">
    {message.imageUrl && (
      <Picture src={message.imageUrl} alt="" w={THUMBNAIL} h={THUMBNAIL} fit="cover" flex="none" />
    )}
    <Text size="sm" title={message.textContent}>
      <Name>{truncate(message.textContent, limits.titleLength)}</Name>
    </Text>
  </Group>
)
