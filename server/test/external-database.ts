import { createTestDatabase } from './database.ts'
import { startRelay } from './relay.ts'

/** A database of the test cluster with a TCP address, as operators have it in DATABASE_URL. */
export async function externalDatabase() {
  const { address, drop } = await createTestDatabase('template0')
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
