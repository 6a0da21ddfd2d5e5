import type { Instance } from '@sendroom/contract/instances'
import type { Hold } from '@sendroom/contract/values'
import i18next from 'i18next'
import { holdText } from '../../i18n/words.ts'
import type { Kind } from './pace.ts'

/** Why messages to people and to groups have to wait now, in one sentence if that is the same. */
export function holdTexts({ people, groups }: Instance['holds']): string[] {
  if (people && JSON.stringify(people) === JSON.stringify(groups)) return [holdText(people)]
  return [...textOf('private', people), ...textOf('groups', groups)]
}

const textOf = (kind: Kind, hold: Hold | null) =>
  hold === null
    ? []
    : [
        i18next.t('ACCOUNT.HOLD', {
          kind: i18next.t(`ACCOUNT_FORM.PACE_${kind.toUpperCase()}`),
          why: holdText(hold),
        }),
      ]
