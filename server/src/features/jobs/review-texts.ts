import { limits } from '@sendroom/contract/limits'
import type { JobDraft, JobPreview } from '@sendroom/contract/new-jobs'
import type { Recipient, Recipients } from '../../engine/index.ts'
import { type Caller, canSeeMessage } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import {
  type ContactFacts,
  contactFacts,
  parseTemplate,
  rendererOf,
  type Template,
} from '../../platform/personal-texts.ts'

export type Review = Pick<JobPreview, 'incomplete' | 'tooLong'>

export const nothingWrong = (): Review => ({
  incomplete: { total: 0, first: [], variables: [] },
  tooLong: { total: 0, first: [] },
})

/** Reads the text of the draft. Null if it has no variables, or mistakes, which the form shows at the text. */
export async function templateOfDraft(
  db: Db,
  caller: Caller,
  { messageId, message }: JobDraft,
): Promise<Template | null> {
  const text = message?.textContent ?? (messageId ? await readTextWithVariables(db, caller, messageId) : null)
  if (!text) return null
  const { template, mistakes } = await parseTemplate(db, text)
  return mistakes.length > 0 || template.variables.length === 0 ? null : template
}

async function readTextWithVariables(db: Db, caller: Caller, id: number): Promise<string | null> {
  const message = await db.maybeOne<{ textContent: string }>(sql`
    select m.text_content from messages m where m.id = ${id} and m.has_variables and ${canSeeMessage(caller, 'm')}`)
  return message?.textContent ?? null
}

const BATCH = 2000

/** Writes the texts of all recipients, as a job would, and tells for whom that fails. */
export async function reviewTexts(
  db: Db,
  template: Template,
  recipients: Recipients,
  { fallbacks }: Pick<JobDraft, 'fallbacks'>,
  country: string,
): Promise<Review> {
  const render = rendererOf(template, country, fallbacks)
  const review = nothingWrong()
  for await (const batch of batchesOf(recipients)) {
    const facts = await readFacts(db, template, batch)
    for (const { contactId, name } of batch) {
      const { text, missing } = render(facts.get(contactId) ?? { name: null, values: null })
      if (missing.length > 0) {
        add(review.incomplete, name)
        for (const key of missing)
          if (!review.incomplete.variables.includes(key)) review.incomplete.variables.push(key)
      } else if (text.length > limits.messageText) add(review.tooLong, name)
    }
  }
  return review
}

function add(sample: { total: number; first: string[] }, name: string): void {
  if (sample.total++ < limits.previewNames) sample.first.push(name)
}

async function readFacts(db: Db, template: Template, batch: Recipient[]) {
  const ids = batch.flatMap(({ contactId }) => contactId ?? [])
  const facts = await db.many<ContactFacts & { id: number }>(sql`
    select c.id, ${contactFacts(template)} from contacts c where c.id = any(${ids})`)
  return new Map<number | null, ContactFacts>(facts.map(({ id, ...contact }) => [id, contact]))
}

async function* batchesOf(recipients: Recipients) {
  let batch: Recipient[] = []
  for await (const recipient of recipients) {
    if (batch.push(recipient) < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
