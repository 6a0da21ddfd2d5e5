import { createTestDatabase } from './database.ts'
import { startRelay } from './relay.ts'

/** A database of the test cluster with a TCP address, as operators have it in DATABASE_URL. `template0` is empty. */
export async function externalDatabase(template: 'tpl' | 'template0' = 'tpl') {
  const { address, drop } = await createTestDatabase(template)
  const relay = await startRelay(address)
  return {
    relay,
    host: relay.host,
    user: address.user,
    name: address.database,
    url: `postgres://${address.user}@${relay.host}/${address.database}`,
    async [Symbol.asyncDispose]() {
      relay.close()
      await drop()
    },
  }
}
