import { limits } from '@sendroom/contract/limits'
import type { JobDraft, JobPreview } from '@sendroom/contract/new-jobs'
import { neededIn } from '@sendroom/contract/personal-text'
import { type Caller, canSeeMessage } from '../../platform/access.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { longestText, type StoredContent } from '../../platform/message-content.ts'
import { parseTemplate, rendererOf, type Template } from '../../platform/personal-texts.ts'
import type { RecipientFacts } from './people.queries.ts'

export type Review = Pick<JobPreview, 'incomplete' | 'tooLong'>

export const nothingWrong = (): Review => ({
  incomplete: { total: 0, first: [], variables: [] },
  tooLong: { total: 0, first: [] },
})

/** A text, and the most characters that it may have for a recipient. */
type DraftTemplate = Template & { longest: number }

/** Reads the text of the draft. Null if it has no variables, or mistakes, which the form shows at the text. */
export async function templateOfDraft(
  db: Db,
  caller: Caller,
  { messageId, message }: JobDraft,
): Promise<DraftTemplate | null> {
  const saved = !message && messageId ? await findTextWithVariables(db, caller, messageId) : null
  const text = message?.textContent ?? saved?.textContent
  if (!text) return null
  const { template, mistakes } = await parseTemplate(db, text)
  const isFit = mistakes.length === 0 && template.variables.length > 0
  const content = message?.isPoll ? { kind: 'poll' } : saved?.content
  return isFit ? { ...template, longest: longestText(content) } : null
}

const findTextWithVariables = (db: Db, caller: Caller, id: number) =>
  db.maybeOne<{ textContent: string; content: StoredContent | null }>(sql`
    select m.text_content, m.content from messages m
    where m.id = ${id} and m.has_variables and ${canSeeMessage(caller, 'm')}`)

/** Writes the texts of all recipients, as a job would, and tells for whom that fails. */
export async function reviewTexts(
  template: DraftTemplate,
  read: (template: Template) => AsyncIterable<RecipientFacts[]>,
  { fallbacks }: Pick<JobDraft, 'fallbacks'>,
  country: string,
): Promise<Review> {
  const checked = mayGetTooLong(template) ? template : onlyNeeded(template, fallbacks)
  const review = nothingWrong()
  if (checked.variables.length === 0) return review
  const render = rendererOf(checked, country, fallbacks)
  for await (const batch of read(checked))
    for (const recipient of batch) {
      const { text, missing } = render(recipient)
      if (missing.length > 0) {
        add(review.incomplete, recipient.recipientName)
        for (const key of missing)
          if (!review.incomplete.variables.includes(key)) review.incomplete.variables.push(key)
      } else if (text.length > template.longest) add(review.tooLong, recipient.recipientName)
    }
  return review
}

/** Whether the text could get too long for somebody with the longest values. */
function mayGetTooLong({ parts, longest }: DraftTemplate): boolean {
  const lengths = parts.map((part) =>
    typeof part === 'string' ? part.length : Math.max(limits.contactValue, part.fallback?.length ?? 0),
  )
  return lengths.reduce((sum, length) => sum + length, 0) > longest
}

/** The variables that somebody may lack. Reading the others of 100,000 people takes a second. */
function onlyNeeded({ parts, fields }: Template, fallbacks: JobDraft['fallbacks']): Template {
  const variables = neededIn({ parts }).filter((key) => !fallbacks[key])
  return {
    parts: variables.map((key) => ({ key, fallback: null })),
    fields: fields.filter(({ key }) => variables.includes(key)),
    variables,
  }
}

function add(sample: { total: number; first: string[] }, name: string): void {
  if (sample.total++ < limits.previewNames) sample.first.push(name)
}
