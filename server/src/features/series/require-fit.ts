import type { JobType } from '@sendroom/contract/job-life'
import type { Tx } from '../../platform/database/connection.ts'
import { readTemplate } from '../../platform/personal-texts.ts'
import { InvalidInput } from '../../platform/refusal.ts'
import type { Source } from './series.queries.ts'

/** Throws at the form's field if a job of this type could not send one of the messages: groups have no variables. */
export async function requireFit(
  tx: Tx,
  jobType: JobType,
  messages: readonly Source[],
  field: 'messageIds' | 'messageId',
): Promise<void> {
  if (jobType !== 'SendToGroups') return
  for (const { textContent, hasVariables } of messages) {
    const [variable] = hasVariables ? (await readTemplate(tx, textContent, field)).variables : []
    if (variable !== undefined)
      throw new InvalidInput({ [field]: 'JOB.VARIABLES_IN_GROUPS' }, { variable: `{{${variable}}}` })
  }
}
