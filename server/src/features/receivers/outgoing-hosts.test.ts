import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useContext } from '../../../test/context.ts'
import { openPost } from './post.ts'

const context = useContext({ env: { OUTGOING_HOSTS: 'gate.whapi.cloud,*.example.com' } })
const { receivers } = contract

// R-2112
test('a receiver on a host that is not allowed is refused, and gets nothing if it was added before', async () => {
  const admin = await context.add.admin()
  const form = (url: string) => ({
    body: { name: 'Shop', url, topics: ['job' as const], isActive: true, allowsOwnNetwork: false },
  })
  expect((await context.call(admin, receivers.create, form('https://hooks.example.com/x'))).status).toBe(201)
  expect(await context.call(admin, receivers.create, form('https://other.test/x'))).toMatchObject({
    status: 409,
    body: { code: 'host_not_allowed' },
  })

  const { secrets, config } = context
  const receiver = {
    ...{ id: 1, url: 'https://other.test/x', urlCipher: null, secretCipher: secrets.encrypt('whsec_eA==') },
    ...{ allowsOwnNetwork: true },
  }
  const { post, close } = openPost(secrets, config)
  // Only these fields of a receiver and an event are read.
  expect(await post(receiver as never, { eventId: 'e', body: '{}' } as never)).toMatchObject({
    status: null,
    error: 'HOST_NOT_ALLOWED',
  })
  close()
})
