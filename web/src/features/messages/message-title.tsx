import { Group, Image, Text } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import type { MessageRow } from '@sendroom/contract/messages'
import { truncate } from '../../format.ts'

const THUMBNAIL = 40

/** The beginning of a message's text, with its image. */
export const MessageTitle = ({ message }: { message: MessageRow }) => (
  <Group gap="xs" wrap="nowrap">
    {message.imageUrl && (
      <Image src={message.imageUrl} alt="" w={THUMBNAIL} h={THUMBNAIL} fit="cover" radius="sm" flex="none" />
    )}
    <Text size="sm" title={message.textContent}>
      {truncate(message.textContent, limits.titleLength)}
    </Text>
  </Group>
)
