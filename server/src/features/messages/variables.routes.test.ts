import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { useSharedContext } from '../../../test/context.ts'

const context = useSharedContext()
const { messages } = contract

async function fixture() {
  const { member } = await context.add.memberWithInstance()
  const { key } = await context.add.contactField()
  const create = (textContent: string) => context.call(member, messages.create, { body: { textContent } })
  const change = (id: number, textContent: string) =>
    context.call(member, messages.update, { params: { id }, body: { textContent } })
  return { member, key, create, change }
}

//
test('a text with known variables is saved, and says that it has some', async () => {
  const { key, create } = await fixture()
  expect(await create(`Hi {{name}}, {{${key}|there}} \\{{x}}`)).toMatchObject({
    status: 201,
    body: { hasVariables: true },
  })
  expect(await create('Hi {you}')).toMatchObject({ status: 201, body: { hasVariables: false } })
})

//
test.each([
  ['Hi {{naem}}', 'MESSAGE.VARIABLE_UNKNOWN', '{{naem}}'],
  ['Hi {{name', 'MESSAGE.VARIABLE_UNCLOSED', '{{name'],
  ['Hi {{name|}}', 'MESSAGE.VARIABLE_FALLBACK', '{{name|}}'],
])('%j is an error at the text', async (text, words, variable) => {
  const { create, change } = await fixture()
  const { body } = await create('Hi')
  for (const answer of [await create(text), await change(body.id, text)])
    expect(answer).toMatchObject({
      status: 400,
      body: {
        fields: { textContent: words },
        error: { textContent: expect.stringContaining(variable) },
        params: { variable },
      },
    })
})

//
test('a text from before keeps its braces until somebody edits it', async () => {
  const { member, change } = await fixture()
  const textContent = 'Hi {{customer}}'
  const { id } = await context.add.message({ textContent, createdByUserId: member.id })

  expect(await change(id, textContent)).toMatchObject({ status: 200, body: { hasVariables: false } })
  expect(await change(id, `${textContent}!`)).toMatchObject({
    status: 400,
    body: { fields: { textContent: 'MESSAGE.VARIABLE_UNKNOWN' } },
  })
  expect(await change(id, 'Hi {{name}}!')).toMatchObject({ status: 200, body: { hasVariables: true } })
  expect(await change(id, 'Hi!')).toMatchObject({ status: 200, body: { hasVariables: false } })
})
