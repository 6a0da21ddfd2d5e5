import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { apiKeyRows } from './api-key-rows.ts'
import { approvalRows } from './approval-rows.ts'
import { groupSetRows, listRows } from './audience-rows.ts'
import { contactMatrix } from './contact-rows.ts'
import { type Fixture, otherQuotas, pollInGroup, sentToGroup } from './fixture.ts'
import { importRows } from './import-rows.ts'
import { receiverRows } from './receiver-rows.ts'
import { admins, everybody, of, type Row, type RowsOf, type Statuses, signedInUsers } from './rows.ts'
import { seriesRows } from './series-rows.ts'
import { ownersAndAdmins, sessionMatrix } from './session-rows.ts'

// The matrix says what each endpoint of the contract answers to each kind of caller. All data belong to one instance,
// which is assigned to all Members except 'unassigned'. An endpoint without a row does not compile.

const assignedMembers = (status: number): Statuses => [401, 401, 404, status, status, status]
const membersWithFlag = (status: number): Statuses => [401, 401, 404, 403, status, status]

type Contract = typeof contract
type Matrix = { [F in keyof Contract]: RowsOf<Contract[F]> }

const none = () => ({})

const newMessage = ({ instanceId }: Fixture) => ({ body: { textContent: 'Hello', instanceId } })
const changedMessage = ({ message, instanceId }: Fixture) => ({
  ...of(message.id),
  body: { textContent: 'Changed', instanceId },
})

function textFile(): FormData {
  const form = new FormData()
  form.append('file', new Blob(['Hello']), 'hello.txt')
  return form
}

const matrix: Matrix = {
  ...sessionMatrix,
  users: {
    //
    list: [admins(200), none],
    get: [admins(200), ({ somebody }) => of(somebody.id)],
    create: [
      admins(201),
      ({ unique }) => ({
        body: { username: unique, email: `${unique}@example.com`, password: 'secret-1', role: 'Member' },
      }),
    ],
    //
    // Here the callers change another user's password. users.routes.test.ts covers their own.
    update: [
      ownersAndAdmins(200),
      ({ somebody }) => ({ ...of(somebody.id), body: { password: 'secret-1' } }),
    ],
    //
    remove: [admins(204), ({ somebody }) => of(somebody.id)],
    assignInstances: [
      admins(200),
      ({ somebody, instanceId }) => ({
        ...of(somebody.id),
        body: { instanceIds: [instanceId], canSendMessages: true, canCreateJobs: true },
      }),
    ],
    instances: [admins(200), ({ somebody }) => of(somebody.id)],
  },
  instances: {
    //
    list: [signedInUsers(200), none],
    get: [assignedMembers(200), ({ instanceId }) => of(instanceId)],
    //
    create: [admins(201), ({ unique }) => ({ body: { name: unique, whapiToken: `test_${unique}` } })],
    //
    update: [admins(200), ({ instanceId }) => ({ ...of(instanceId), body: { name: 'Shop' } })],
    //
    remove: [admins(204), ({ instanceId }) => of(instanceId)],
    //
    clearData: [admins(204), ({ instanceId }) => of(instanceId)],
    //
    qr: [membersWithFlag(200), ({ instanceId }) => of(instanceId)],
    pairingCode: [
      membersWithFlag(200),
      ({ instanceId }) => ({ ...of(instanceId), query: { phone: '+84901234567' } }),
    ],
    logout: [membersWithFlag(204), ({ instanceId }) => of(instanceId)],
    //
    resume: [membersWithFlag(204), ({ instanceId }) => of(instanceId)],
    //
    sync: [assignedMembers(202), ({ instanceId }) => of(instanceId)],
  },
  groups: {
    //
    list: [signedInUsers(200), none],
    search: [signedInUsers(200), ({ instanceId }) => ({ body: { instanceIds: [instanceId] } })],
    exportParticipants: [membersWithFlag(200), ({ group }) => of(group.id)],
  },
  //
  ...contactMatrix,
  //
  lists: listRows,
  groupSets: groupSetRows,
  series: seriesRows,
  // R-1354
  calendar: { read: [signedInUsers(200), () => ({ query: { from: '2026-11-30' } })] },
  imports: importRows,
  messages: {
    //
    list: [signedInUsers(200), none],
    get: [assignedMembers(200), ({ message }) => of(message.id)],
    variables: [signedInUsers(200), none],
    //
    preview: [[401, 401, 200, 403, 200, 200], () => ({ body: { textContent: 'Hi {{name}}' } })],
    //
    create: [[401, 401, 400, 403, 201, 201], newMessage],
    createWithFile: [[401, 401, 400, 403, 201, 201], newMessage],
    update: [membersWithFlag(200), changedMessage],
    updateWithFile: [membersWithFlag(200), changedMessage],
    remove: [membersWithFlag(204), ({ message }) => of(message.id)],
    bulkDelete: [membersWithFlag(204), ({ message }) => ({ body: { ids: [message.id] } })],
  },
  // R-1750
  files: { upload: [[401, 401, 201, 403, 201, 201], () => ({ body: textFile() })] },
  jobs: {
    //
    list: [signedInUsers(200), none],
    get: [assignedMembers(200), ({ job }) => of(job.id)],
    changes: [assignedMembers(200), ({ job }) => of(job.id)],
    sentMessages: [assignedMembers(200), ({ job }) => of(job.id)],
    recipients: [assignedMembers(200), ({ job }) => of(job.id)],
    exportCsv: [assignedMembers(200), ({ job }) => of(job.id)],
    exportXlsx: [assignedMembers(200), ({ job }) => of(job.id)],
    members: [membersWithFlag(200), ({ job, group }) => sentToGroup(job, group)],
    // R-1636
    poll: [assignedMembers(200), ({ job, group }) => pollInGroup(job, group)],
    voters: [membersWithFlag(200), ({ job, group }) => pollInGroup(job, group)],
    logs: [assignedMembers(200), ({ job }) => of(job.id)],
    //
    create: [
      [401, 401, 400, 403, 201, 201],
      ({ message, instanceId, group }) => ({
        body: { messageId: message.id, instanceId, groupIds: [group.id] },
      }),
    ],
    change: [membersWithFlag(200), ({ job }) => ({ ...of(job.id), body: { scheduledAt: null } })],
    preview: [
      [401, 401, 400, 403, 200, 200],
      ({ instanceId, group }) => ({ body: { instanceId, groupIds: [group.id] } }),
    ],
    //
    test: [
      [401, 401, 400, 403, 201, 201],
      ({ instanceId }) => ({ body: { textContent: 'Hello', instanceId, phoneNumber: '0901234567' } }),
    ],
    //
    restart: [membersWithFlag(200), ({ endedJob }) => of(endedJob.id)],
    cancel: [membersWithFlag(200), ({ job }) => of(job.id)],
    pause: [membersWithFlag(200), ({ job }) => of(job.id)],
    resume: [membersWithFlag(200), ({ pausedJob }) => of(pausedJob.id)],
    retryFailed: [membersWithFlag(200), ({ failedJob }) => ({ ...of(failedJob.id), body: {} })],
    ...approvalRows,
    remove: [membersWithFlag(204), ({ job }) => of(job.id)],
    bulkDelete: [membersWithFlag(204), ({ job }) => ({ body: { jobIds: [job.id] } })],
  },
  //
  dashboard: {
    stats: [signedInUsers(200), none],
    now: [signedInUsers(200), none],
    days: [assignedMembers(200), ({ instanceId }) => ({ query: { instanceId } })],
    exportDays: [assignedMembers(200), ({ instanceId }) => ({ query: { instanceId } })],
  },
  // notices.routes.test.ts shows that everybody has only their own.
  notices: {
    list: [signedInUsers(200), none],
    read: [signedInUsers(204), () => ({ body: { ids: [1] } })],
    settings: [signedInUsers(200), none],
    choose: [signedInUsers(200), () => ({ body: { choices: [{ kind: 'account_down', channels: [] }] } })],
    // These tests have no mail server.
    testEmail: [signedInUsers(409), none],
  },
  personalData: {
    export: [admins(200), () => ({ body: { phoneNumber: '+84901234567' } })],
    forget: [admins(202), () => ({ body: { phoneNumber: '+84901234567' } })],
    requests: [admins(200), none],
  },
  audit: { list: [admins(200), none], export: [admins(200), none] },
  retention: {
    get: [admins(200), none],
    update: [
      admins(200),
      () => ({
        body: {
          deliveryDays: 90,
          logDays: 30,
          receiptDays: 7,
          messageDays: null,
          groupDays: null,
          contactDays: null,
        },
      }),
    ],
  },
  //
  quotas: {
    get: [admins(200), none],
    update: [admins(200), () => ({ body: otherQuotas })],
  },
  // R-2017
  apiKeys: apiKeyRows,
  system: { examine: [admins(200), none] },
  receivers: receiverRows,
  // The webhook checks its key and secret instead of a session: webhook.routes.test.ts.
  //
  webhooks: { whapi: [everybody(404), () => ({ params: { key: '1.guessed' }, body: {} })] },
  //
  events: { follow: [signedInUsers(200), none] },
}

const authorsAndAdmins = (status: number): Statuses => [401, 401, 403, 403, 403, status]
const changedTemplate = ({ template }: Fixture) => ({ ...of(template.id), body: { textContent: 'Changed' } })

/** Calls with an Admin's message without an instance, which is shared. Here no caller is its author. */
export const sharedTemplate: { endpoint: Endpoint; row: Row<Endpoint> }[] = [
  //
  { endpoint: contract.messages.get, row: [signedInUsers(200), ({ template }) => of(template.id)] },
  { endpoint: contract.messages.update, row: [authorsAndAdmins(200), changedTemplate] },
  { endpoint: contract.messages.updateWithFile, row: [authorsAndAdmins(200), changedTemplate] },
  { endpoint: contract.messages.remove, row: [authorsAndAdmins(204), ({ template }) => of(template.id)] },
  {
    endpoint: contract.messages.bulkDelete,
    row: [authorsAndAdmins(204), ({ template }) => ({ body: { ids: [template.id] } })],
  },
  {
    endpoint: contract.jobs.create,
    row: [
      [401, 401, 400, 403, 201, 201],
      ({ template, instanceId, group }) => ({
        body: { messageId: template.id, instanceId, groupIds: [group.id] },
      }),
    ],
  },
  {
    endpoint: contract.jobs.test,
    row: [
      [401, 401, 400, 403, 201, 201],
      ({ template, instanceId }) => ({
        body: { textContent: 'Hello', instanceId, phoneNumber: '0901234567', imageOf: template.id },
      }),
    ],
  },
]

export const endpoints = Object.entries(contract).flatMap(([feature, named]) =>
  Object.entries(named as Record<string, Endpoint>).map(([name, endpoint]) => {
    const row = (matrix as Record<string, Record<string, Row<Endpoint>>>)[feature]?.[name]
    return {
      endpoint,
      name: `${endpoint.method} ${endpoint.path}`,
      row,
      isPublic: endpoint.access === 'public',
    }
  }),
)

/** Calls of signed-in users. */
export const signedIn = endpoints.filter(({ isPublic }) => !isPublic)
