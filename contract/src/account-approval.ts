import { z } from 'zod'
import { limits } from './limits.ts'
import { key } from './values.ts'

/** Which jobs of an account need the approval of a second user. */
export const approvalRules = ['never', 'above', 'always'] as const

/** The settings of an account about approval. */
export const approvalFields = {
  approval: z.enum(approvalRules, key('FIELD.INVALID')).meta({
    description:
      'Which jobs need the approval of a second user: none, those that bring their author’s recipients of 24 hours above `approvalAbove`, or all. Needs two active users who can approve',
  }),
  approvalAbove: z
    .number(key('ACCOUNT_FORM.APPROVAL_ABOVE_INVALID'))
    .int(key('ACCOUNT_FORM.APPROVAL_ABOVE_INVALID'))
    .min(1, key('ACCOUNT_FORM.APPROVAL_ABOVE_INVALID'))
    .max(limits.approvalAbove, key('ACCOUNT_FORM.APPROVAL_ABOVE_INVALID')),
}
