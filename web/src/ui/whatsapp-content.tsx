import type { MessageContent } from '@sendroom/contract/message-content'
import { IconFileText, IconMapPin } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatSize } from '../format.ts'
import { Name } from './name.tsx'
import classes from './whatsapp-content.module.css'
import { WithMarks } from './whatsapp-marks.tsx'
import { AudioPlayer, VideoPlayer } from './whatsapp-player.tsx'

type Of<Kind extends MessageContent['kind']> = Extract<MessageContent, { kind: Kind }>
type FileContent = Extract<MessageContent, { file: string }>

/** The part beside the text, as WhatsApp shows it. The text of polls and places is within this part. */
export function WhatsAppContent({ content, text }: { content: MessageContent; text: string }) {
  if (content.kind === 'poll') return <Poll poll={content} question={text} />
  if (content.kind === 'location') return <Place place={content} name={text} />
  const url = fileUrl(content)
  if (content.kind === 'document') return <FileRow content={content} url={url} />
  if (content.kind === 'video') return <VideoPlayer key={url} url={url} seconds={content.seconds} />
  return <AudioPlayer key={url} url={url} seconds={content.seconds} isVoice={content.kind === 'voice'} />
}

export const fileUrl = ({ file }: { file: string }) => `/files/${file}`

const FileRow = ({ content: { fileName, size }, url }: { content: FileContent; url: string }) => (
  <a className={classes.file} href={url} download={fileName}>
    <IconFileText size={28} stroke={1.5} aria-hidden />
    <span>
      <Name>{fileName}</Name>
      <small>{[extensionOf(fileName), formatSize(size)].filter(Boolean).join(' · ')}</small>
    </span>
  </a>
)

/** WhatsApp shows the end of the name as the type of the file. */
const extensionOf = (name: string) => /\.(\w{1,5})$/.exec(name)?.[1]?.toUpperCase()

function Poll({ poll: { options, allowsSeveral }, question }: { poll: Of<'poll'>; question: string }) {
  const { t } = useTranslation()
  return (
    <>
      <strong dir="auto" className={classes.question}>
        <WithMarks text={question} />
      </strong>
      <small>{t(allowsSeveral ? 'MESSAGE.POLL_SEVERAL_HINT' : 'MESSAGE.POLL_ONE_HINT')}</small>
      <ul className={classes.options} data-several={allowsSeveral || undefined}>
        {options.map((option, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: while they are typed, options may be the same
          <li key={at}>
            <Name>{option}</Name>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Without a map: that would ask another server, which Sendroom never does. */
const Place = ({ place, name }: { place: Of<'location'>; name: string }) => (
  <>
    <span className={classes.map}>
      <IconMapPin size={36} stroke={1.5} aria-hidden />
      {Number.isFinite(place.latitude + place.longitude) && (
        <small>
          {place.latitude}, {place.longitude}
        </small>
      )}
    </span>
    <strong dir="auto" className={classes.question}>
      <WithMarks text={name} />
    </strong>
    {place.address !== '' && <small dir="auto">{place.address}</small>}
  </>
)
