import type { MessageContent } from '@sendroom/contract/message-content'
import {
  IconFileText,
  IconListDetails,
  IconMapPin,
  IconMicrophone,
  IconMusic,
  IconVideo,
  type TablerIcon,
} from '@tabler/icons-react'

export const kindIcons: Record<MessageContent['kind'], TablerIcon> = {
  video: IconVideo,
  document: IconFileText,
  audio: IconMusic,
  voice: IconMicrophone,
  poll: IconListDetails,
  location: IconMapPin,
}

/** The translation key of a kind of messages. */
export const kindWords = (kind: MessageContent['kind'] | 'text') => `MESSAGE.KIND_${kind.toUpperCase()}`
