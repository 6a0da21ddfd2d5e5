import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../test/context.ts'

const context = useSharedContext()

//
test('the description names every endpoint of the contract', async () => {
  const answer = await (await context.app).inject('/api/openapi.json')

  expect(answer.statusCode).toBe(200)
  const { openapi, paths } = answer.json()
  expect(openapi).toBe('3.1.0')
  const endpoints = Object.values(contract).flatMap((feature) => Object.values(feature))
  for (const { method, path } of endpoints)
    expect(paths[`/api${path.replace(/:(\w+)/g, '{$1}')}`]).toHaveProperty(method.toLowerCase())
})

test('the description is not sent again to those who have it', async () => {
  const app = await context.app
  const { headers, body } = await app.inject('/api/openapi.json')
  expect(headers['cache-control']).toBe('no-cache')
  const inject = (tag: string | undefined) =>
    app.inject({ url: '/api/openapi.json', headers: { 'if-none-match': String(tag) } })

  expect(await inject(headers.etag)).toMatchObject({ statusCode: 304, body: '' })
  expect(await inject('"another"')).toMatchObject({ statusCode: 200, body })
})

test('the description says which calls need a confirmation', async () => {
  const { paths } = (await (await context.app).inject('/api/openapi.json')).json()

  expect(paths['/api/users/{id}'].delete.description).toContain('confirm_password')
  expect(paths['/api/users/{id}'].get.description).toBeUndefined()
})

//
test("the description is also served as pages, with the app's headers", async () => {
  const app = await context.app
  const [page, style, missing] = await Promise.all(
    ['', '/static/swagger-ui.css', '/nowhere'].map((path) => app.inject(`/api/docs${path}`)),
  )

  expect(page).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': expect.stringMatching('text/html'), 'x-frame-options': 'DENY' },
  })
  expect(style).toMatchObject({ statusCode: 200, headers: { 'content-type': 'text/css; charset=utf-8' } })
  expect(missing?.statusCode).toBe(404)
  expect(missing?.json()).toMatchObject({ code: 'not_found' })
  expect(await app.inject({ method: 'HEAD', url: '/api/docs' })).toMatchObject({ statusCode: 200, body: '' })
})
