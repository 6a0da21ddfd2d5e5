import type { Instance } from '@sendroom/contract/instances'
import { advisedPace, type Pace, warmUpSteps } from '@sendroom/contract/pace'

/** The values of the instance form. */
export type InstanceValues = Required<
  Pick<Instance, 'name' | 'whatsAppNumber' | 'whapiToken' | 'isActive' | 'expiredTime'>
> &
  Pace &
  Pick<Instance, 'warmUpStep' | 'quietHours' | 'timeZone' | 'approval' | 'approvalAbove'>

export const blank: InstanceValues = {
  name: '',
  whatsAppNumber: '',
  whapiToken: '',
  isActive: true,
  expiredTime: null,
  ...advisedPace,
  warmUpStep: warmUpSteps[0],
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
  approval: 'never',
  approvalAbove: 100,
}

export const valuesOf = ({ whapiToken = '', ...rest }: Instance): InstanceValues => ({
  name: rest.name,
  whatsAppNumber: rest.whatsAppNumber,
  whapiToken,
  isActive: rest.isActive,
  expiredTime: rest.expiredTime,
  ...paceOf(rest),
  warmUpStep: rest.warmUpStep,
  quietHours: rest.quietHours,
  timeZone: rest.timeZone,
  approval: rest.approval,
  approvalAbove: rest.approvalAbove,
})

/** The pace among other values. */
export const paceOf = (values: Pace): Pace => ({
  groupPauseSeconds: values.groupPauseSeconds,
  privatePauseSeconds: values.privatePauseSeconds,
  dailyCap: values.dailyCap,
  privateSlowAfter: values.privateSlowAfter,
  privateSlowPauseSeconds: values.privateSlowPauseSeconds,
  privatePerQuarterHour: values.privatePerQuarterHour,
  privateHoursPerDay: values.privateHoursPerDay,
  privateDaysInARow: values.privateDaysInARow,
  personCap: values.personCap,
  personRestDays: values.personRestDays,
  newPeopleCap: values.newPeopleCap,
})
