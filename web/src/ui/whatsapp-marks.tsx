import { splitMarks } from './variable-marks.ts'
import classes from './whatsapp-message.module.css'

/** A text in which the places of variables are marked. */
export const WithMarks = ({ text }: { text: string }) =>
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
