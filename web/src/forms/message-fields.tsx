import { NativeSelect } from '@mantine/core'
import { hasCaption } from '@sendroom/contract/captions'
import { limits } from '@sendroom/contract/limits'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { kindWords } from '../ui/kind-icon.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { isFileKind, type Kind, messageKinds } from './content-values.ts'
import { MessageText } from './message-text.tsx'
import type { MessageFields as Fields } from './use-message-fields.ts'

/** Most messages are texts, so the fields of the other kinds are loaded when they are wanted. */
const ContentFields = lazyComponent(async () => (await import('./content-fields.tsx')).ContentFields)

type Props = {
  fields: Fields
  /** The field for the image of a text. */
  image: ReactNode
  hasImage: boolean
}

/** Writes a message of any kind. What was typed for one kind stays while another is chosen. */
export function MessageFields({ fields, image, hasImage }: Props) {
  const { t } = useTranslation()
  const { kind } = fields.values.content
  const choose = (chosen: Kind) => {
    fields.clearErrors()
    fields.set('kind', chosen)
  }
  return (
    <>
      <NativeSelect
        label={t('MESSAGE.KIND')}
        data={messageKinds.map((value) => ({ value, label: t(kindWords(value)) }))}
        value={kind}
        onChange={(event) => choose(event.currentTarget.value as Kind)} // the values are kinds
      />
      {hasCaption(kind) && <TextOfKind fields={fields} kind={kind} hasImage={hasImage} />}
      {kind === 'text' ? image : <ContentFields fields={fields} />}
    </>
  )
}

/** Translation keys of the text: what it is, and what is said if it is missing. */
const textWords: Partial<Record<Kind, { label: string; missing: string }>> = {
  video: { label: 'MESSAGE.CAPTION', missing: '' },
  document: { label: 'MESSAGE.CAPTION', missing: '' },
  poll: { label: 'MESSAGE.QUESTION', missing: 'MESSAGE.QUESTION_REQUIRED' },
  location: { label: 'MESSAGE.PLACE', missing: 'MESSAGE.PLACE_REQUIRED' },
}

function TextOfKind({ fields, kind, hasImage }: { fields: Fields; kind: Kind; hasImage: boolean }) {
  const { t } = useTranslation()
  const { label, missing } = textWords[kind] ?? { label: 'MESSAGE.TEXT', missing: 'MESSAGE.TEXT_REQUIRED' }
  const { error, ...input } = fields.input('textContent')
  const isMissing = error === t('MESSAGE.TEXT_REQUIRED')
  const isCaption = isFileKind(kind)
  return (
    <MessageText
      // The field measures its height only when its text changes.
      key={kind}
      {...input}
      error={isMissing ? t(missing) : error}
      label={t(label)}
      hint={kind === 'poll' || kind === 'location' ? undefined : t('MESSAGE.TEXT_HINT')}
      isRequired={!isCaption}
      rows={kind === 'text' ? 5 : 2}
      max={kind === 'poll' ? limits.pollQuestion : limits.messageText}
      adviseBelow={isCaption || (kind === 'text' && hasImage) ? limits.caption : undefined}
    />
  )
}
