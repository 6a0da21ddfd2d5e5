import { Text } from '@mantine/core'
import { Fragment, type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Picture } from './picture.tsx'
import { markVariables, splitMarks } from './variable-marks.ts'
import classes from './whatsapp-message.module.css'
import { type Line, type Piece, whatsAppLines } from './whatsapp-text.ts'

type Props = {
  text: string
  imageUrl: string | null
  /** Whether double braces in the text are variables, which are shown as marks then. */
  hasVariables?: boolean
  /** Text for an empty message. */
  hint?: string
}

/** A message as WhatsApp shows it. */
export function WhatsAppMessage({ text, imageUrl, hasVariables = false, hint }: Props) {
  const { t } = useTranslation()
  const lines = useMemo(() => whatsAppLines(hasVariables ? markVariables(text) : text), [text, hasVariables])
  const isEmpty = text.trim() === '' && imageUrl === null
  return (
    // A long text scrolls, so the keyboard must be able to focus it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <div className={classes.chat} tabIndex={0}>
      {isEmpty ? (
        <Text size="sm" className={classes.hint}>
          {hint}
        </Text>
      ) : (
        <div className={classes.bubble}>
          {imageUrl !== null && (
            <Picture className={classes.image} src={imageUrl} alt={t('COMMON.MESSAGE_IMAGE')} />
          )}
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
            <LineOf key={at} line={line} />
          ))}
        </div>
      )}
    </div>
  )
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

const WithMarks = ({ text }: { text: string }) =>
  splitMarks(text).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
      <mark key={at} className={classes.variable}>
        {part}
      </mark>
    ),
  )

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
