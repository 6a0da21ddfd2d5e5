import { createTestDatabase } from './database.ts'
import { DatabaseProxy } from './database-proxy.ts'

/** A database of the test cluster with a TCP address, as operators have it in DATABASE_URL. `template0` is empty. */
export async function externalDatabase(template: 'tpl' | 'template0' = 'tpl') {
  const { address, drop } = await createTestDatabase(template)
  const proxy = await DatabaseProxy.open(address)
  return {
    proxy,
    address,
    host: proxy.address,
    user: address.user,
    name: address.database,
    url: `postgres://${address.user}@${proxy.address}/${address.database}`,
    async [Symbol.asyncDispose]() {
      proxy.close()
      await drop()
    },
  }
}
