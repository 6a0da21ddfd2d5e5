import type { Instance } from '@sendroom/contract/instances'
import type { Entry } from '../../platform/audit.ts'

export const entryOf = (
  action: Entry['action'],
  { id, name }: Pick<Instance, 'id' | 'name'>,
  details = {},
): Entry => ({
  action,
  object: { type: 'instance', id, name },
  details,
})

export const settingNames = [
  'name',
  'whatsAppNumber',
  'isActive',
  'expiredTime',
  'groupPauseSeconds',
  'privatePauseSeconds',
  'dailyCap',
  'privateSlowAfter',
  'privateSlowPauseSeconds',
  'privatePerQuarterHour',
  'privateHoursPerDay',
  'privateDaysInARow',
  'personCap',
  'personRestDays',
  'newPeopleCap',
  'warmUpStep',
  'quietHours',
  'timeZone',
  'approval',
  'approvalAbove',
] as const

type Settings = Pick<Instance, (typeof settingNames)[number]>

/** The settings as the audit log shows them. */
export const settingsOf = (instance: Settings) =>
  Object.fromEntries(settingNames.map((name) => [name, instance[name]])) as Settings // the types lose the names
