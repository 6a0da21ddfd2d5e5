import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import type { FieldKey } from './field-words.ts'
import { limits } from './limits.ts'
import { listQuery, page } from './paging.ts'
import { Instant, idList, idParams, isForm, key, Named, ReadVersion } from './values.ts'

export const roles = ['Admin', 'Member'] as const
export type Role = (typeof roles)[number]

export const User = z
  .object({
    id: z.number(),
    username: z.string(),
    email: z.string(),
    role: z.enum(roles),
    isActive: z.boolean(),
    isWaiting: z.boolean().meta({ description: 'Registered, and not activated by an Admin yet' }),
    canSendMessages: z.boolean(),
    canCreateJobs: z.boolean(),
    canLinkAccounts: z.boolean(),
    canExportParticipants: z.boolean(),
    canUseContacts: z.boolean(),
    canManageContacts: z.boolean(),
    canApproveJobs: z.boolean(),
    canMentionAll: z.boolean(),
    createdAt: Instant,
    /** Whether a sign-in asks for a code as well. */
    hasFactor: z.boolean(),
    /** Whether the user has to set up a second factor before anything else. */
    needsFactor: z.boolean(),
    /** Increases with each edit by a person. */
    version: z.number(),
    assignedInstances: z.array(Named),
  })
  .meta({ id: 'User' })
export type User = z.output<typeof User>

/**
 * Invisible, bidirectional, private and unassigned characters, and spaces of other kinds. Two names that look alike
 * would let one user pass for another.
 */
const UNREADABLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}| {2}/u

export const isReadable = (name: string) => !UNREADABLE.test(name)

const oldUsername = (invalid: FieldKey) =>
  z.string(invalid).trim().min(limits.usernameMin, invalid).max(limits.usernameMax, invalid)

/** The name of a new user. `invalid` is the key for a wrong length. */
export const newUsername = (invalid: FieldKey) =>
  z
    .string(invalid)
    .normalize('NFC')
    .pipe(oldUsername(invalid))
    .refine(isReadable, key('USER_FORM.USERNAME_UNREADABLE'))
const emailUpTo = (length: number) =>
  z
    .string(key('USER_FORM.EMAIL_INVALID'))
    .trim()
    .max(length, key('USER_FORM.EMAIL_INVALID'))
    .pipe(z.email(key('USER_FORM.EMAIL_INVALID')))
const password = z
  .string(key('USER_FORM.PASSWORD_INVALID'))
  .min(limits.passwordMin, key('USER_FORM.PASSWORD_INVALID'))
  .max(limits.passwordMax, key('USER_FORM.PASSWORD_INVALID'))
const role = z.enum(roles, key('USER_FORM.ROLE_REQUIRED'))
const instanceIds = idList(10_000)

/**
 * A new user. Without rights and role it becomes an active Member with all rights but those to contacts and to approve
 * jobs.
 */
export const NewUser = z.object({
  username: newUsername(key('USER_FORM.USERNAME_INVALID')),
  email: emailUpTo(limits.emailMax),
  password,
  role: role.default('Member'),
  isActive: z.boolean().default(true),
  canSendMessages: z.boolean().default(true),
  canCreateJobs: z.boolean().default(true),
  canLinkAccounts: z.boolean().default(true),
  canExportParticipants: z.boolean().default(true),
  canUseContacts: z.boolean().default(false),
  canManageContacts: z.boolean().default(false),
  canApproveJobs: z.boolean().default(false),
  canMentionAll: z.boolean().default(false),
  assignedInstances: instanceIds.default([]),
})

/** A partial change. Omitted fields keep their values, and so does an empty password. */
export const UserChange = z
  .object({
    // The server checks a new name. Users whose name is older than those rules must stay editable.
    username: oldUsername(key('USER_FORM.USERNAME_INVALID')),
    // Registration allows longer addresses than `NewUser`. Such users must stay editable.
    email: emailUpTo(limits.registrationEmailMax),
    password: z.union(
      [z.literal('').transform(() => undefined), password],
      key('USER_FORM.PASSWORD_INVALID'),
    ),
    role,
    isActive: z.boolean(),
    canSendMessages: z.boolean(),
    canCreateJobs: z.boolean(),
    canLinkAccounts: z.boolean(),
    canExportParticipants: z.boolean(),
    canUseContacts: z.boolean(),
    canManageContacts: z.boolean(),
    canApproveJobs: z.boolean(),
    canMentionAll: z.boolean(),
    assignedInstances: instanceIds,
    version: ReadVersion,
  })
  .partial()

/** The form in which users change their own password. `confirm` is checked only in the browser. */
export const ChangePassword = z
  .object({
    password: z
      .string()
      .min(limits.passwordMin, key('CHANGE_PASSWORD.PASSWORD_INVALID'))
      .max(limits.passwordMax, key('CHANGE_PASSWORD.PASSWORD_INVALID')),
    confirm: z.string().min(1, key('CHANGE_PASSWORD.CONFIRM_REQUIRED')),
  })
  .refine((form) => form.password === form.confirm, {
    path: ['confirm'],
    message: key('CHANGE_PASSWORD.NOT_MATCH'),
    when: isForm,
  })

/** The instances and rights of a user. Replaces the previous ones. Omitted rights keep their values. */
export const Assignment = z.object({
  instanceIds,
  canSendMessages: z.boolean(),
  canCreateJobs: z.boolean(),
  canLinkAccounts: z.boolean().optional(),
  canExportParticipants: z.boolean().optional(),
  canUseContacts: z.boolean().optional(),
  canManageContacts: z.boolean().optional(),
  canApproveJobs: z.boolean().optional(),
  canMentionAll: z.boolean().optional(),
  version: ReadVersion,
})

export const UserInstances = z.object({
  assignedInstances: z.array(Named),
  canSendMessages: z.boolean(),
  canCreateJobs: z.boolean(),
  canLinkAccounts: z.boolean(),
  canExportParticipants: z.boolean(),
  canUseContacts: z.boolean(),
  canManageContacts: z.boolean(),
  canApproveJobs: z.boolean(),
  canMentionAll: z.boolean(),
  version: z.number(),
})

export const UserListQuery = listQuery(['id', 'username', 'email', 'role', 'isActive', 'createdAt'], {
  sortBy: 'id',
  sortDirection: 'desc',
})
export type UserListQuery = z.output<typeof UserListQuery>

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/users',
    access: 'admin',
    summary: 'List users',
    query: UserListQuery,
    response: page(User),
  }),
  get: endpoint({
    method: 'GET',
    path: '/users/:id',
    access: 'admin',
    summary: 'One user',
    params: idParams,
    response: User,
  }),
  create: endpoint({
    method: 'POST',
    path: '/users',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Create a user',
    body: NewUser,
    response: User,
    status: 201,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/users/:id',
    access: 'signedIn',
    needsConfirmation: true,
    summary: 'Change a user; users who are not Admins may change only their own password',
    params: idParams,
    body: UserChange,
    response: User,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/users/:id',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Delete a user',
    params: idParams,
  }),
  assignInstances: endpoint({
    method: 'POST',
    path: '/users/:id/assign-instances',
    access: 'admin',
    needsConfirmation: true,
    summary: 'Replace the instances a user may use, and what the user may do on them',
    params: idParams,
    body: Assignment,
    response: UserInstances,
  }),
  instances: endpoint({
    method: 'GET',
    path: '/users/:id/instances',
    access: 'admin',
    summary: 'The instances a user may use',
    params: idParams,
    response: UserInstances,
  }),
}
