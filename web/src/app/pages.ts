import type { Right } from '@sendroom/contract/rights'
import type { ComponentType } from 'react'
import { readAuditSearch } from '../features/audit/audit-search.ts'
import { readCalendarSearch } from '../features/calendar/calendar-search.ts'
import { readGroupsSearch } from '../features/groups/groups-search.ts'
import { readInstancesSearch } from '../features/instances/instances-search.ts'
import { readJobSearch } from '../features/jobs/detail/job-search.ts'
import { readNewJobSearch } from '../features/jobs/form/new-job-search.ts'
import { readJobsSearch } from '../features/jobs/list/jobs-search.ts'
import { readListSearch } from '../lists/list-search.ts'

export type Page = {
  load: () => Promise<ComponentType>
  isForAdmins?: true
  /** The page is for users who have one of these rights. */
  rights?: readonly Right[]
  /** Reads the page's state from the query string of its address. */
  readSearch?: (raw: Record<string, unknown>) => object
}

/** Every page inside the shell, by its path. The router makes its routes of this table; `preload.ts` reads it too. */
export const pages = {
  '/dashboard': {
    load: () => import('../features/dashboard/dashboard-page.tsx').then((page) => page.DashboardPage),
  },
  '/messages': {
    load: () => import('../features/messages/messages-page.tsx').then((page) => page.MessagesPage),
    readSearch: readListSearch,
  },
  '/messages/new': {
    load: () => import('../features/messages/message-form-page.tsx').then((page) => page.MessageFormPage),
  },
  '/messages/edit/$id': {
    load: () => import('../features/messages/message-form-page.tsx').then((page) => page.MessageFormPage),
  },
  '/jobs': {
    load: () => import('../features/jobs/list/jobs-page.tsx').then((page) => page.JobsPage),
    readSearch: readJobsSearch,
  },
  '/jobs/new': {
    load: () => import('../features/jobs/form/job-form-page.tsx').then((page) => page.JobFormPage),
    readSearch: readNewJobSearch,
  },
  '/jobs/edit/$id': {
    load: () => import('../features/jobs/form/change-job-page.tsx').then((page) => page.ChangeJobPage),
  },
  '/jobs/$id': {
    load: () => import('../features/jobs/detail/job-detail-page.tsx').then((page) => page.JobDetailPage),
    readSearch: readJobSearch,
  },
  '/series': {
    load: () => import('../features/jobs/series/series-page.tsx').then((page) => page.SeriesPage),
    readSearch: readListSearch,
  },
  '/series/new': {
    load: () => import('../features/jobs/series/series-form-page.tsx').then((page) => page.SeriesFormPage),
  },
  '/series/edit/$id': {
    load: () => import('../features/jobs/series/series-form-page.tsx').then((page) => page.SeriesFormPage),
  },
  '/series/$id': {
    load: () => import('../features/jobs/series/one-series-page.tsx').then((page) => page.OneSeriesPage),
  },
  '/calendar': {
    load: () => import('../features/calendar/calendar-page.tsx').then((page) => page.CalendarPage),
    readSearch: readCalendarSearch,
  },
  '/groups': {
    load: () => import('../features/groups/groups-page.tsx').then((page) => page.GroupsPage),
    readSearch: readGroupsSearch,
  },
  '/group-sets': {
    load: () => import('../features/audiences/group-sets-page.tsx').then((page) => page.GroupSetsPage),
    readSearch: readListSearch,
  },
  '/group-sets/new': {
    load: () => import('../features/audiences/group-set-form-page.tsx').then((page) => page.GroupSetFormPage),
  },
  '/group-sets/edit/$id': {
    load: () => import('../features/audiences/group-set-form-page.tsx').then((page) => page.GroupSetFormPage),
  },
  '/contacts': {
    load: () => import('../features/contacts/contacts-page.tsx').then((page) => page.ContactsPage),
    rights: ['canManageContacts'],
    readSearch: readListSearch,
  },
  '/contacts/new': {
    load: () => import('../features/contacts/contact-form-page.tsx').then((page) => page.ContactFormPage),
    rights: ['canManageContacts'],
  },
  '/contacts/edit/$id': {
    load: () => import('../features/contacts/contact-form-page.tsx').then((page) => page.ContactFormPage),
    rights: ['canManageContacts'],
  },
  '/contacts/$id': {
    load: () => import('../features/contacts/contact-page.tsx').then((page) => page.ContactPage),
    rights: ['canManageContacts'],
  },
  '/imports': {
    load: () => import('../features/imports/imports-page.tsx').then((page) => page.ImportsPage),
    readSearch: readListSearch,
    rights: ['canManageContacts'],
  },
  '/imports/$id': {
    load: () => import('../features/imports/import-page.tsx').then((page) => page.ImportPage),
    rights: ['canManageContacts'],
  },
  '/lists': {
    load: () => import('../features/audiences/lists-page.tsx').then((page) => page.ListsPage),
    rights: ['canUseContacts', 'canManageContacts'],
    readSearch: readListSearch,
  },
  '/lists/new': {
    load: () => import('../features/audiences/list-form-page.tsx').then((page) => page.ListFormPage),
    rights: ['canManageContacts'],
  },
  '/lists/edit/$id': {
    load: () => import('../features/audiences/list-form-page.tsx').then((page) => page.ListFormPage),
    rights: ['canManageContacts'],
  },
  '/lists/$id': {
    load: () => import('../features/audiences/list-people-page.tsx').then((page) => page.ListPeoplePage),
    rights: ['canUseContacts', 'canManageContacts'],
    readSearch: readListSearch,
  },
  '/opt-outs': {
    load: () => import('../features/opt-outs/opt-outs-page.tsx').then((page) => page.OptOutsPage),
    rights: ['canManageContacts'],
    readSearch: readListSearch,
  },
  '/opt-outs/new': {
    load: () => import('../features/opt-outs/opt-out-form-page.tsx').then((page) => page.OptOutFormPage),
    rights: ['canManageContacts'],
  },
  '/possible-opt-outs': {
    load: () =>
      import('../features/opt-outs/possible-opt-outs-page.tsx').then((page) => page.PossibleOptOutsPage),
    rights: ['canManageContacts'],
  },
  '/api-keys': {
    load: () => import('../features/api-keys/api-keys-page.tsx').then((page) => page.ApiKeysPage),
    readSearch: readListSearch,
  },
  '/api-keys/new': {
    load: () => import('../features/api-keys/api-key-form-page.tsx').then((page) => page.ApiKeyFormPage),
  },
  '/api-keys/edit/$id': {
    load: () => import('../features/api-keys/api-key-form-page.tsx').then((page) => page.ApiKeyFormPage),
  },
  '/instances': {
    load: () => import('../features/instances/instances-page.tsx').then((page) => page.InstancesPage),
    readSearch: readInstancesSearch,
  },
  '/instances/new': {
    load: () => import('../features/instances/instance-form-page.tsx').then((page) => page.InstanceFormPage),
    isForAdmins: true,
  },
  '/instances/edit/$id': {
    load: () => import('../features/instances/instance-form-page.tsx').then((page) => page.InstanceFormPage),
    isForAdmins: true,
  },
  '/users': {
    load: () => import('../features/users/users-page.tsx').then((page) => page.UsersPage),
    isForAdmins: true,
    readSearch: readListSearch,
  },
  '/users/new': {
    load: () => import('../features/users/user-form-page.tsx').then((page) => page.UserFormPage),
    isForAdmins: true,
  },
  '/users/edit/$id': {
    load: () => import('../features/users/user-form-page.tsx').then((page) => page.UserFormPage),
    isForAdmins: true,
  },
  '/security': {
    load: () => import('../features/session/security-page.tsx').then((page) => page.SecurityPage),
  },
  '/settings': {
    load: () => import('./settings-page.tsx').then((page) => page.SettingsPage),
    isForAdmins: true,
  },
  '/settings/fields': {
    load: () => import('../features/contacts/fields-page.tsx').then((page) => page.FieldsPage),
    isForAdmins: true,
  },
  '/settings/fields/new': {
    load: () => import('../features/contacts/field-form-page.tsx').then((page) => page.FieldFormPage),
    isForAdmins: true,
  },
  '/settings/fields/edit/$id': {
    load: () => import('../features/contacts/field-form-page.tsx').then((page) => page.FieldFormPage),
    isForAdmins: true,
  },
  '/settings/opt-outs': {
    load: () =>
      import('../features/opt-outs/opt-out-settings-page.tsx').then((page) => page.OptOutSettingsPage),
    isForAdmins: true,
  },
  '/settings/retention': {
    load: () => import('../features/retention/retention-page.tsx').then((page) => page.RetentionPage),
    isForAdmins: true,
  },
  '/settings/personal-data': {
    load: () =>
      import('../features/personal-data/personal-data-page.tsx').then((page) => page.PersonalDataPage),
    isForAdmins: true,
  },
  '/settings/webhooks': {
    load: () => import('../features/receivers/receivers-page.tsx').then((page) => page.ReceiversPage),
    isForAdmins: true,
  },
  '/settings/webhooks/new': {
    load: () => import('../features/receivers/receiver-form-page.tsx').then((page) => page.ReceiverFormPage),
    isForAdmins: true,
  },
  '/settings/webhooks/edit/$id': {
    load: () => import('../features/receivers/receiver-form-page.tsx').then((page) => page.ReceiverFormPage),
    isForAdmins: true,
  },
  '/settings/webhooks/$id': {
    load: () => import('../features/receivers/receiver-page.tsx').then((page) => page.ReceiverPage),
    isForAdmins: true,
  },
  '/settings/limits': {
    load: () => import('../features/quotas/quotas-page.tsx').then((page) => page.QuotasPage),
    isForAdmins: true,
  },
  '/settings/sign-in': {
    load: () => import('../features/session/factor-rule-page.tsx').then((page) => page.FactorRulePage),
    isForAdmins: true,
  },
  '/settings/system': {
    load: () => import('../features/system/system-page.tsx').then((page) => page.SystemPage),
    isForAdmins: true,
  },
  '/settings/audit': {
    load: () => import('../features/audit/audit-page.tsx').then((page) => page.AuditPage),
    isForAdmins: true,
    readSearch: readAuditSearch,
  },
} satisfies Record<string, Page>

export type PagePath = keyof typeof pages

// The cast restores the key type, which Object.keys() widens to string.
export const pagePaths = Object.keys(pages) as PagePath[]

/** The path of the page at this address; the dashboard for unknown addresses. */
export const pageAt = (address: string): PagePath =>
  pagePaths.find((path) => patternOf(path).test(movedTo(address) ?? address)) ?? '/dashboard'

/** The present address, query included, of a page that stood elsewhere before there were settings. */
export const movedTo = (href: string) =>
  /^\/(retention|webhooks|limits|system|audit)(?![^/?#])/.test(href) ? `/settings${href}` : undefined

const patternOf = (path: string) => new RegExp(`^${path.replace('$id', '[^/]+')}$`)
