import type { ContactFieldType } from '@sendroom/contract/contact-fields'
import type { FieldKey } from '@sendroom/contract/field-words'
import {
  NAME,
  type PersonalText,
  parseText,
  type TextMistake,
  type TextPart,
  variablesIn,
} from '@sendroom/contract/personal-text'
import type { Db } from './database/connection.ts'
import { sql } from './database/sql.ts'
import { InvalidInput } from './refusal.ts'

/** A field that a text may name. */
export type TextField = { id: number; key: string; type: ContactFieldType }

/** A text whose variables are all known, with the fields that they name. */
export type Template = { parts: TextPart[]; fields: TextField[]; variables: string[] }

const messageOf: Record<TextMistake['kind'], FieldKey> = {
  unknown: 'MESSAGE.VARIABLE_UNKNOWN',
  unclosed: 'MESSAGE.VARIABLE_UNCLOSED',
  fallback: 'MESSAGE.VARIABLE_FALLBACK',
}

/** Reads a text. Throws InvalidInput at the form's field if a part of the text can't be sent. */
export async function readTemplate(db: Db, text: string, formField: string): Promise<Template> {
  const { template, mistakes } = await parseTemplate(db, text)
  const [mistake] = mistakes
  if (mistake) throw new InvalidInput({ [formField]: messageOf[mistake.kind] }, { variable: mistake.text })
  return template
}

/** Reads a text, also one with mistakes. */
export async function parseTemplate(
  db: Db,
  text: string,
): Promise<{ template: Template; mistakes: PersonalText['mistakes'] }> {
  const keys = variablesIn(parseText(text))
  const fields = keys.some((key) => key !== NAME)
    ? await db.many<TextField>(sql`select id, key, type from contact_fields where key = any(${keys})`)
    : []
  const { parts, mistakes } = parseText(text, new Set(fields.map(({ key }) => key)))
  return { template: { parts, fields, variables: variablesIn({ parts }) }, mistakes }
}
