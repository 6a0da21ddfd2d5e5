import { Paper, Text, Title } from '@mantine/core'
import { Fragment, type ReactNode, useDeferredValue, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Picture } from '../../ui/picture.tsx'
import classes from './message-preview.module.css'
import { type Line, type Piece, whatsAppLines } from './whatsapp-text.ts'

type Props = { text: string; imageUrl: string | null }

/** The message as WhatsApp shows it, while it is written. */
export function MessagePreview({ text, imageUrl }: Props) {
  const { t } = useTranslation()
  // A long text is read anew with each key: the typing goes first.
  const shown = useDeferredValue(text)
  const lines = useMemo(() => whatsAppLines(shown), [shown])
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="message-preview">
      <Title order={2} size="h5" id="message-preview" mb="sm">
        {t('MESSAGE.PREVIEW')}
      </Title>
      {/* A long text scrolls, so the keyboard must reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <div className={classes.chat} tabIndex={0}>
        {text.trim() === '' && imageUrl === null ? (
          <Text size="sm" className={classes.hint}>
            {t('MESSAGE.PREVIEW_EMPTY')}
          </Text>
        ) : (
          <div className={classes.bubble}>
            {imageUrl !== null && (
              <Picture className={classes.image} src={imageUrl} alt={t('MESSAGE.PREVIEW_IMAGE')} />
            )}
            {lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <LineOf key={at} line={line} />
            ))}
          </div>
        )}
      </div>
    </Paper>
  )
}

/** Each line has the direction of its own script, as in WhatsApp. */
const LineOf = ({ line: { kind, pieces } }: { line: Line }) => (
  <div dir="auto" className={classes[kind]}>
    {pieces.length === 0 ? <br /> : <Pieces pieces={pieces} />}
  </div>
)

const Pieces = ({ pieces }: { pieces: Piece[] }) =>
  pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
    <Fragment key={at}>{typeof piece === 'string' ? piece : look(piece)}</Fragment>
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
          {piece.text}
        </a>
      )
    default:
      return <code className={classes[piece.kind]}>{piece.text}</code>
  }
}
