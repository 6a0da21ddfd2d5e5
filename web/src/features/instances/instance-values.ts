import type { Instance } from '@sendroom/contract/instances'
import { advisedPace, type Pace } from '@sendroom/contract/pace'

/** The values of the instance form. */
export type InstanceValues = Required<
  Pick<Instance, 'name' | 'whatsAppNumber' | 'whapiToken' | 'isActive' | 'expiredTime'>
> &
  Pace &
  Pick<Instance, 'quietHours' | 'timeZone'>

export const blank: InstanceValues = {
  name: '',
  whatsAppNumber: '',
  whapiToken: '',
  isActive: true,
  expiredTime: null,
  ...advisedPace,
  quietHours: null,
  timeZone: 'Asia/Ho_Chi_Minh',
}

export const valuesOf = ({ whapiToken = '', ...rest }: Instance): InstanceValues => ({
  name: rest.name,
  whatsAppNumber: rest.whatsAppNumber,
  whapiToken,
  isActive: rest.isActive,
  expiredTime: rest.expiredTime,
  groupPauseSeconds: rest.groupPauseSeconds,
  privatePauseSeconds: rest.privatePauseSeconds,
  dailyCap: rest.dailyCap,
  quietHours: rest.quietHours,
  timeZone: rest.timeZone,
})
