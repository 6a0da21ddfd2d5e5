/** The kinds of groups: those of WhatsApp, and channels that the instance may post to. */
export const groupKinds = ['group', 'channel'] as const
export type GroupKind = (typeof groupKinds)[number]

/**
 * The filters to which the dashboard's links limit the lists of instances and jobs. This file does not import
 * zod, so that the router does not load the schemas.
 */
export const instanceFilters = ['attention'] as const
export type InstanceFilter = (typeof instanceFilters)[number]

/**
 * `stuck` and `failures` are the jobs that need attention on the dashboard, `to_approve` those in review that the
 * caller may approve.
 */
export const jobFilters = ['stuck', 'failures', 'running', 'pending', 'in_review', 'to_approve'] as const
export type JobFilter = (typeof jobFilters)[number]
