import type { NewContent } from '@sendroom/contract/message-content'
import { useTranslation } from 'react-i18next'
import { enumerated, labelled } from '../i18n/punctuation.ts'
import { kindWords } from '../ui/kind-icon.tsx'
import { Name } from '../ui/name.tsx'

/** The content of a message in a line. */
export function ContentSummary({ content }: { content: NewContent | null }) {
  const { t } = useTranslation()
  if (!content) return t(kindWords('text'))
  const several = content.kind === 'poll' && content.allowsSeveral ? [t('MESSAGE.ALLOWS_SEVERAL')] : []
  return (
    <>
      {labelled(t(kindWords(content.kind)), '')}
      <Name>{enumerated([...factsOf(content), ...several])}</Name>
    </>
  )
}

function factsOf(content: NewContent): string[] {
  if (content.kind === 'poll') return content.options
  if (content.kind !== 'location') return [content.fileName]
  return [`${content.latitude}, ${content.longitude}`, content.address].filter(Boolean)
}
