/** The kinds of refused calls that the audit log counts, as actions `security.<kind>`. */
export const refusalKinds = [
  'unauthenticated',
  'forbidden',
  'forgery',
  'throttled',
  'not_found',
  'forged_webhook',
  'quota',
] as const
export type RefusalKind = (typeof refusalKinds)[number]

/** The actions that the audit log records. No import of zod here, so that the page does not load the schemas. */
export const auditActions = [
  'session.sign_in',
  'session.sign_in_failed',
  'session.confirm',
  'session.sign_out',
  'session.register',
  'user.create',
  'user.update',
  'user.rights',
  'user.password',
  'user.delete',
  'instance.create',
  'instance.update',
  'instance.link',
  'instance.log_out',
  'instance.sync',
  'instance.resume',
  'instance.clear',
  'instance.delete',
  'message.create',
  'message.update',
  'message.delete',
  'job.create',
  'job.pause',
  'job.resume',
  'job.cancel',
  'job.restart',
  'job.retry',
  'job.delete',
  'job.export',
  'group.export',
  'group.view_members',
  'dashboard.export',
  'audit.export',
  'retention.update',
  'quotas.update',
  'receiver.create',
  'receiver.update',
  'receiver.delete',
  'receiver.send',
  'backup.create',
  'backup.restore',
  ...refusalKinds.map((kind) => `security.${kind}` as const),
] as const
export type AuditAction = (typeof auditActions)[number]

/** The kinds of things that actions are done to. */
export const auditObjects = ['user', 'instance', 'message', 'job', 'group', 'receiver'] as const
export type AuditObject = (typeof auditObjects)[number]
