import { Text } from '@mantine/core'
import { captionOf, hasCaption } from '@sendroom/contract/captions'
import type { MessageContent } from '@sendroom/contract/message-content'
import { Fragment, type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Picture } from './picture.tsx'
import { markVariables } from './variable-marks.ts'
import { WhatsAppContent } from './whatsapp-content.tsx'
import { WithMarks } from './whatsapp-marks.tsx'
import classes from './whatsapp-message.module.css'
import { type Line, type Piece, whatsAppLines } from './whatsapp-text.ts'

type Props = {
  /** The text, or the caption, question or name that goes with the content. */
  text: string
  imageUrl: string | null
  content: MessageContent | null
  /** Whether double braces in the text are variables, which are shown as marks then. */
  hasVariables?: boolean
  /** Text for an empty message. */
  hint?: string
}

/** A message as WhatsApp shows it. */
export function WhatsAppMessage({ text, imageUrl, content, hasVariables = false, hint }: Props) {
  const { t } = useTranslation()
  const shown = content && !hasCaption(content.kind) ? '' : captionOf({ textContent: text, content })
  const marked = useMemo(() => (hasVariables ? markVariables(shown) : shown), [shown, hasVariables])
  const isEmpty = shown.trim() === '' && imageUrl === null && !content
  const hasPlainText = content?.kind === 'poll' || content?.kind === 'location'
  return (
    // A long text scrolls, so the keyboard must be able to focus it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div className={classes.chat} tabIndex={0}>
      {isEmpty ? (
        <Text size="sm" className={classes.hint}>
          {hint}
        </Text>
      ) : (
        <div className={classes.bubble} data-wide={content !== null || undefined}>
          {imageUrl !== null && (
            <Picture className={classes.image} src={imageUrl} alt={t('COMMON.MESSAGE_IMAGE')} />
          )}
          {content && <WhatsAppContent content={content} text={marked} />}
          {!hasPlainText && !(content && shown === '') && <Lines text={marked} />}
        </div>
      )}
    </div>
  )
}

function Lines({ text }: { text: string }) {
  const lines = useMemo(() => whatsAppLines(text), [text])
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
    <LineOf key={at} line={line} />
  ))
}

/** A line in the direction of its own script, as in WhatsApp. */
const LineOf = ({ line: { kind, pieces } }: { line: Line }) => (
  <div dir="auto" className={classes[kind]}>
    {pieces.length === 0 ? <br /> : <Pieces pieces={pieces} />}
  </div>
)

const Pieces = ({ pieces }: { pieces: Piece[] }) =>
  pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
    <Fragment key={at}>{typeof piece === 'string' ? <WithMarks text={piece} /> : look(piece)}</Fragment>
  ))

function look(piece: Exclude<Piece, string>): ReactNode {
  switch (piece.kind) {
    case 'bold':
      return (
        <strong>
          <Pieces pieces={piece.pieces} />
        </strong>
      )
    case 'italic':
      return (
        <em>
          <Pieces pieces={piece.pieces} />
        </em>
      )
    case 'strike':
      return (
        <s>
          <Pieces pieces={piece.pieces} />
        </s>
      )
    case 'link':
      return (
        <a href={piece.href} target="_blank" rel="noreferrer">
          <WithMarks text={piece.text} />
        </a>
      )
    default:
      return (
        <code className={classes[piece.kind]}>
          <WithMarks text={piece.text} />
        </code>
      )
  }
}
