import {
  IconForms,
  IconGauge,
  IconHandStop,
  IconHeartbeat,
  IconHistory,
  IconHourglass,
  IconShieldLock,
  IconUserShield,
  IconWebhook,
} from '@tabler/icons-react'

/** The sections of the settings. The sidebar lists them while one is open, and `/settings` with what each is for. */
export const settings = [
  { to: '/settings/fields', label: 'CONTACT_FIELD.TITLE', hint: 'SETTINGS.FIELDS_HINT', icon: IconForms },
  {
    to: '/settings/opt-outs',
    label: 'OPT_OUT.SETTINGS_TITLE',
    hint: 'SETTINGS.OPT_OUTS_HINT',
    icon: IconHandStop,
  },
  {
    to: '/settings/retention',
    label: 'RETENTION.TITLE',
    hint: 'SETTINGS.RETENTION_HINT',
    icon: IconHourglass,
  },
  {
    to: '/settings/personal-data',
    label: 'PERSONAL_DATA.TITLE',
    hint: 'SETTINGS.PERSONAL_DATA_HINT',
    icon: IconUserShield,
  },
  { to: '/settings/webhooks', label: 'RECEIVER.TITLE', hint: 'SETTINGS.WEBHOOKS_HINT', icon: IconWebhook },
  { to: '/settings/limits', label: 'QUOTAS.TITLE', hint: 'SETTINGS.LIMITS_HINT', icon: IconGauge },
  {
    to: '/settings/sign-in',
    label: 'FACTOR.RULE_TITLE',
    hint: 'SETTINGS.FACTOR_HINT',
    icon: IconShieldLock,
  },
  { to: '/settings/system', label: 'SYSTEM.TITLE', hint: 'SETTINGS.SYSTEM_HINT', icon: IconHeartbeat },
  { to: '/settings/audit', label: 'AUDIT.TITLE', hint: 'SETTINGS.AUDIT_HINT', icon: IconHistory },
] as const
