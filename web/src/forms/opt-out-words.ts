import type { OptOut, PossibleOptOut } from '@sendroom/contract/opt-outs'
import i18next from 'i18next'
import { formatDateTime } from '../format.ts'

type Person = Pick<OptOut | PossibleOptOut, 'phoneNumber' | 'lid'>

/** The number, or that it is hidden. */
export const numberOf = ({ phoneNumber, lid }: Person): string =>
  phoneNumber ?? (lid ? i18next.t('CONTACT.HIDDEN', { lid }) : i18next.t('OPT_OUT.UNKNOWN'))

/** How the opt-out came to be. */
export const sourceText = ({ source, createdBy, sameAs }: OptOut): string =>
  i18next.t(`OPT_OUT.SOURCE_${source.toUpperCase()}`, { name: createdBy ?? '', number: sameAs ?? '' })

/** Whether the opt-out holds and, if not, since when, and who ended it. */
export const endText = ({ endedAt, endedBy }: OptOut): string =>
  i18next.t(endedBy ? 'OPT_OUT.ENDED_BY' : 'OPT_OUT.ENDED_BY_PERSON', {
    time: formatDateTime(endedAt),
    name: endedBy ?? '',
  })

/** For which accounts the opt-out holds. The name of one that the user can't see is not known. */
export const scopeText = ({ isForAll, instance }: OptOut): string => {
  if (isForAll) return i18next.t('OPT_OUT.FOR_ALL')
  return instance ? i18next.t('OPT_OUT.FOR_ONE', instance) : i18next.t('OPT_OUT.FOR_ONE_HIDDEN')
}
