import { Text } from '@mantine/core'
import type { AuditEntry } from '@sendroom/contract/audit'
import { fieldOfRight } from '@sendroom/contract/rights'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../format.ts'
import { enumerated, labelled } from '../../i18n/punctuation.ts'
import { Name } from '../../ui/name.tsx'

export const actionKey = (action: string) => `AUDIT.ACTION_${action.toUpperCase().replace('.', '_')}`

/** Shows an action of another version of Sendroom by its code. */
export function ActionName({ action }: { action: string }) {
  const { t } = useTranslation()
  return t(actionKey(action), { defaultValue: action })
}

/** The object of the action: its kind with its number, and its name of that time. */
export function ObjectName({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation()
  const { objectType, objectId, objectName } = entry
  if (objectType === null || objectId === null) return '–'
  const kind = t(`AUDIT.OBJECT_${objectType.toUpperCase()}`, { id: objectId, defaultValue: objectType })
  return (
    <>
      <Text size="xs" c="dimmed">
        {kind}
      </Text>
      <Name>{objectName}</Name>
    </>
  )
}

/** The translation keys of what the details name. */
const labels = new Map([
  ['username', 'USER.USERNAME'],
  ['email', 'USER.EMAIL'],
  ['role', 'USER.ROLE'],
  ['isActive', 'USER_FORM.IS_ACTIVE'],
  ['canSendMessages', 'USER_FORM.CAN_SEND_MESSAGES'],
  ['canCreateJobs', 'USER_FORM.CAN_CREATE_JOBS'],
  ['canLinkAccounts', 'USER_FORM.CAN_LINK_ACCOUNTS'],
  ['canExportParticipants', 'USER_FORM.CAN_EXPORT_PARTICIPANTS'],
  ['canUseContacts', 'USER_FORM.CAN_USE_CONTACTS'],
  ['canManageContacts', 'USER_FORM.CAN_MANAGE_CONTACTS'],
  ['canApproveJobs', 'USER_FORM.CAN_APPROVE_JOBS'],
  ['canMentionAll', 'USER_FORM.CAN_MENTION_ALL'],
  ['isForAll', 'AUDIT.IS_FOR_ALL'],
  ['hash', 'AUDIT.HASH'],
  ['users', 'HEADER.USERS'],
  ['kind', 'AUDIT.TYPE'],
  ['assignedInstances', 'USER.INSTANCES'],
  ['name', 'ACCOUNT_FORM.NAME'],
  ['whatsAppNumber', 'ACCOUNT_FORM.NUMBER'],
  ['expiredTime', 'ACCOUNT_FORM.EXPIRY'],
  ['groupPauseSeconds', 'AUDIT.GROUP_PAUSE'],
  ['privatePauseSeconds', 'AUDIT.PRIVATE_PAUSE'],
  ['dailyCap', 'ACCOUNT_FORM.CAP'],
  ['private', 'ACCOUNT_FORM.PACE_PRIVATE'],
  ['privateSlowAfter', 'ACCOUNT_FORM.SLOW_AFTER'],
  ['privateSlowPauseSeconds', 'ACCOUNT_FORM.SLOW_PAUSE'],
  ['privatePerQuarterHour', 'ACCOUNT_FORM.QUARTER'],
  ['privateHoursPerDay', 'ACCOUNT_FORM.HOURS'],
  ['privateDaysInARow', 'ACCOUNT_FORM.DAYS'],
  ['personCap', 'ACCOUNT_FORM.PERSON_CAP'],
  ['personRestDays', 'ACCOUNT_FORM.PERSON_REST'],
  ['newPeopleCap', 'ACCOUNT_FORM.NEW_PEOPLE'],
  ['warmUpStep', 'ACCOUNT_FORM.WARM_UP'],
  ['quietHours', 'ACCOUNT_FORM.QUIET'],
  ['timeZone', 'ACCOUNT_FORM.TIME_ZONE'],
  ['tokenChanged', 'AUDIT.TOKEN_CHANGED'],
  ['isTaken', 'AUDIT.NAME_TAKEN'],
  ['by', 'AUDIT.BY'],
  ['phone', 'ACCOUNT.PHONE'],
  ['jobs', 'HEADER.JOBS'],
  ['messages', 'HEADER.MESSAGES'],
  ['groups', 'HEADER.GROUPS'],
  ['image', 'MESSAGE.IMAGE'],
  ['instance', 'JOB.INSTANCE'],
  ['jobType', 'JOB.TYPE'],
  ['recipients', 'JOB.COUNT_TOTAL'],
  ['createdBy', 'JOB.CREATED_BY'],
  ['scheduledAt', 'JOB.SCHEDULED_AT'],
  ['includeUnknown', 'AUDIT.INCLUDE_UNKNOWN'],
  ['withKey', 'AUDIT.WITH_KEY'],
  ['madeAt', 'AUDIT.MADE_AT'],
  ['filter', 'AUDIT.FILTER'],
  ['search', 'COMMON.SEARCH'],
  ['action', 'AUDIT.ACTION'],
  ['deliveryDays', 'RETENTION.DELIVERIES'],
  ['logDays', 'RETENTION.LOGS'],
  ['receiptDays', 'RETENTION.RECEIPTS'],
  ['messageDays', 'RETENTION.MESSAGES'],
  ['groupDays', 'RETENTION.GROUPS'],
  ['contactDays', 'RETENTION.CONTACTS'],
  ['recipientsPerUser', 'QUOTAS.RECIPIENTS_USER'],
  ['recipientsPerInstance', 'QUOTAS.RECIPIENTS_ACCOUNT'],
  ['syncsPerDay', 'QUOTAS.SYNCS'],
  ['searchesAtOnce', 'QUOTAS.SEARCHES'],
  ['imageMegabytesPerUser', 'QUOTAS.IMAGES'],
  ['server', 'RECEIVER_FORM.SERVER'],
  ['topics', 'RECEIVER_FORM.TOPICS'],
  ['allowsOwnNetwork', 'RECEIVER_FORM.ALLOWS_OWN_NETWORK'],
  ['event', 'RECEIVER.EVENT'],
  ['apiKey', 'API_KEY.KEY'],
  ['rights', 'API_KEY.RIGHTS'],
  ['instances', 'USER.INSTANCES'],
  ['addresses', 'API_KEY.ADDRESSES'],
  ['expiresAt', 'API_KEY.EXPIRES_AT'],
  ['start', 'API_KEY.START'],
  ['owner', 'API_KEY.OWNER'],
  ['fields', 'AUDIT.CHANGED_PARTS'],
  ['add', 'AUDIT.TAGS_ADDED'],
  ['remove', 'AUDIT.TAGS_REMOVED'],
  ['key', 'AUDIT.KEY'],
  ['type', 'AUDIT.TYPE'],
  ['choices', 'AUDIT.CHOICES'],
  ['added', 'IMPORT.ADDED'],
  ['changed', 'IMPORT.CHANGED'],
  ['unchanged', 'IMPORT.UNCHANGED'],
  ['twice', 'IMPORT.TWICE'],
  ['refused', 'IMPORT.REFUSED'],
  ['removed', 'IMPORT.UNDONE_REMOVED'],
  ['kept', 'IMPORT.UNDONE_KEPT'],
  ['gone', 'IMPORT.UNDONE_GONE'],
  ['known', 'IMPORT.KNOWN'],
  ['consent', 'IMPORT.CONSENT'],
  ['source', 'IMPORT.SOURCE'],
  ['rule', 'AUDIT.SERIES_RULE'],
  ['groupSets', 'JOB.GROUP_SETS'],
  ['lists', 'JOB.LISTS'],
  ['excludedLists', 'JOB.EXCLUDED_LISTS'],
  ['contacts', 'CONTACT.TITLE'],
  ['isFrozen', 'AUDIT.IS_FROZEN'],
  ['quietDays', 'AUDIT.QUIET_DAYS'],
  ['quietPolicy', 'AUDIT.QUIET_POLICY'],
  ['overlap', 'AUDIT.OVERLAP'],
  ['author', 'AUDIT.AUTHOR'],
  ['run', 'AUDIT.SERIES_RUN'],
  ['dueAt', 'AUDIT.SERIES_DUE_AT'],
  ['reason', 'AUDIT.REASON'],
  ['series', 'AUDIT.SERIES'],
  ['sameAs', 'AUDIT.SAME_AS'],
  ['browser', 'SESSION.BROWSER'],
  ['isNewBrowser', 'SESSION.NEW_BROWSER'],
  ['requiredOf', 'FACTOR.RULE_OF'],
  ['since', 'FACTOR.SINCE'],
  ['count', 'AUDIT.COUNT'],
  ['hour', 'AUDIT.HOUR'],
  ['from', 'AUDIT.FROM'],
  ['to', 'AUDIT.TO'],
])

/** Returns functions that name a field of the details and put its value into words. */
export function useDetailWords() {
  const { t } = useTranslation()
  const label = (field: string) => {
    const key = labels.get(field)
    return key === undefined ? field : t(key)
  }

  function words(field: string, value: unknown): string {
    if (field === 'instances' && value === null) return t('API_KEY.ALL_ACCOUNTS')
    if (value === null || value === undefined || value === '') return '–'
    if (typeof value === 'boolean') return t(value ? 'COMMON.YES' : 'COMMON.NO')
    if (typeof value === 'number') return formatNumber(value)
    // A range of one value is that value.
    if (field === 'quietHours' || field.endsWith('PauseSeconds'))
      return [...new Set(Object.values(value))].join('–')
    if (Array.isArray(value)) return enumerated(value.map((item) => words(field, item))) || '–'
    if (typeof value === 'object')
      return enumerated(Object.entries(value).map(([key, inner]) => labelled(label(key), words(key, inner))))
    return wordsOfText(field, String(value))
  }

  function wordsOfText(field: string, text: string): string {
    if (field === 'role') return t(`USER.ROLE_${text.toUpperCase()}`, { defaultValue: text })
    if (field === 'jobType') return t(`JOB.TYPE_${text.toUpperCase()}`, { defaultValue: text })
    if (field === 'requiredOf') return t(`FACTOR.OF_${text.toUpperCase()}`, { defaultValue: text })
    if (field === 'by') return t(`AUDIT.BY_${text.toUpperCase()}`, { defaultValue: text })
    if (field === 'rights')
      return label(new Map<string, string>(Object.entries(fieldOfRight)).get(text) ?? text)
    if (field === 'action') return t(actionKey(text), { defaultValue: text })
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return formatDateTime(text)
    return text
  }
  return { label, words }
}
