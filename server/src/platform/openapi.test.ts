import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useWorld } from '../../test/world.ts'

const world = useWorld()

test('[R-295] the description names every endpoint of the contract', async () => {
  const answer = await (await world.app).inject('/api/openapi.json')

  expect(answer.statusCode).toBe(200)
  const { openapi, paths } = answer.json()
  expect(openapi).toBe('3.1.0')
  expect(await (await world.app).inject('/api/docs')).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': expect.stringMatching('text/html') },
  })
  const endpoints = Object.values(contract).flatMap((feature) => Object.values(feature))
  for (const { method, path } of endpoints)
    expect(paths[`/api${path.replace(/:(\w+)/g, '{$1}')}`]).toHaveProperty(method.toLowerCase())
})
