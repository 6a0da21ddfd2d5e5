import type { Endpoint } from '@sendroom/contract/endpoint'
import { createData, type Data, withUser } from './fixture.ts'
import type { Row } from './rows.ts'

/** A user who may make the call, and the input for it: about new data, or about these. */
export async function prepare(
  { endpoint, row }: { endpoint: Endpoint; row: Row<Endpoint> | undefined },
  data?: Data,
) {
  const isForAdmins = endpoint.access === 'admin' || endpoint.path.startsWith('/users/:id')
  const fixture = await withUser(data ?? (await createData()), isForAdmins ? 'Admin' : 'with flags')
  if (!row || !fixture.user) throw new Error('The matrix has no row or no user.')
  return { user: fixture.user, input: await row[1](fixture) }
}
