import type { ContactFieldType } from '@sendroom/contract/contact-fields'
import type { FieldKey } from '@sendroom/contract/field-words'
import {
  NAME,
  type PersonalText,
  parseText,
  type Rendered,
  renderText,
  type TextMistake,
  type TextPart,
  variablesIn,
} from '@sendroom/contract/personal-text'
import { valueWriter } from '@sendroom/contract/value-writer'
import type { Db } from './database/connection.ts'
import { type Sql, sql } from './database/sql.ts'
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

/** The facts of a contact `c` that texts may name. The values are by the ids of their fields. */
export type ContactFacts = { name: string | null; values: Record<string, string> | null }

/** The columns of `ContactFacts`, for the fields that a text names. */
export const contactFacts = ({ fields }: Template): Sql => sql`
  c.name, ${fields.length === 0 ? sql`null` : valuesOf(fields)} as values`

const valuesOf = (fields: readonly TextField[]) => sql`(
  select jsonb_object_agg(v.field_id, v.value) from contact_values v
  where v.contact_id = c.id and v.field_id = any(${fields.map(({ id }) => id)}))`

/** Returns a function that writes the text for a contact, as people in the country write dates and numbers. */
export function rendererOf(
  { parts, fields }: Template,
  country: string,
  fallbacks: Readonly<Record<string, string>> = {},
): (facts: ContactFacts) => Rendered {
  const write = valueWriter(country)
  return ({ name, values }) => {
    const written = new Map([[NAME, name ?? '']])
    for (const { id, key, type } of fields) {
      const value = values?.[id]
      if (value !== undefined) written.set(key, write(type, value))
    }
    return renderText(parts, written, fallbacks)
  }
}
