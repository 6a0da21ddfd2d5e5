import { apiKeys } from './api-keys.ts'
import { audit } from './audit.ts'
import { calendar } from './calendar.ts'
import { contactFields } from './contact-fields.ts'
import { contacts } from './contacts.ts'
import { dashboard } from './dashboard.ts'
import type { Endpoint } from './endpoint.ts'
import { events } from './events.ts'
import { factor } from './factor.ts'
import { files } from './files.ts'
import { groupSets } from './group-sets.ts'
import { groups } from './groups.ts'
import { imports } from './imports.ts'
import { instances } from './instances.ts'
import { jobs } from './jobs.ts'
import { lists } from './lists.ts'
import { messages } from './messages.ts'
import { notices } from './notices.ts'
import { numberChecks } from './number-checks.ts'
import { optOuts } from './opt-outs.ts'
import { personalData } from './personal-data.ts'
import { quotas } from './quotas.ts'
import { receivers } from './receivers.ts'
import { retention } from './retention.ts'
import { series } from './series.ts'
import { session } from './session.ts'
import { sessions } from './sessions.ts'
import { system } from './system.ts'
import { textPreviews } from './text-previews.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

/** All endpoints of the API, by feature. */
export const contract = {
  session,
  sessions,
  factor,
  users,
  instances,
  groups,
  contacts,
  contactFields,
  lists,
  groupSets,
  imports,
  optOuts,
  numberChecks,
  messages: { ...messages, ...textPreviews },
  files,
  jobs,
  series,
  calendar,
  dashboard,
  notices,
  audit,
  personalData,
  retention,
  quotas,
  apiKeys,
  receivers,
  events,
  webhooks,
  system,
}

type Contract = typeof contract
type EndpointsOf<F> = F[keyof F]
type Any = { [F in keyof Contract]: EndpointsOf<Contract[F]> }[keyof Contract]

/** An endpoint's name, such as `POST /jobs/:id/restart`. Clients that call by name need not load the schemas. */
export type EndpointName = Any extends infer E
  ? E extends Endpoint
    ? `${E['method']} ${E['path']}`
    : never
  : never

/** The type of the endpoint with this name. */
export type EndpointNamed<N extends EndpointName> = N extends `${infer M} ${infer P}`
  ? Extract<Any, { method: M; path: P }>
  : never
