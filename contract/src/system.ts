import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { type FindingCode, findingWords } from './findings.ts'

const codes = Object.keys(findingWords) as [FindingCode, ...FindingCode[]]

/** A finding of `findings.ts` as code and params, for translation. */
export const Finding = z
  .object({
    code: z.enum(codes),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .meta({ id: 'Finding' })
export type Finding = z.output<typeof Finding>

export const system = {
  examine: endpoint({
    method: 'GET',
    path: '/system',
    access: 'admin',
    summary: 'Examine the installation: what works, and what does not, with its remedy',
    response: z.object({ findings: z.array(Finding) }),
  }),
}
