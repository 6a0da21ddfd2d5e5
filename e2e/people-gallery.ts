import { expect } from '@playwright/test'
import type { Api } from './api.ts'

const names = [
  'Nguyễn Thị Lan',
  'Trần Minh',
  'Lê Hương',
  'Phạm Quang',
  'Võ Ngọc Ánh',
  '王小明',
  'Anna García',
]

/** Adds fields of every type, and contacts that fill more than one page, the first with all that one can have. */
export async function furnishPeople(admin: Api) {
  const fields = [
    { key: 'city', name: 'Thành phố', type: 'choice', choices: ['Hà Nội', 'Đà Nẵng', 'TP. Hồ Chí Minh'] },
    { key: 'birthday', name: 'Ngày sinh', type: 'date' },
    { key: 'points', name: 'Điểm tích lũy', type: 'number' },
    { key: 'member', name: 'Thẻ thành viên', type: 'yesNo' },
    { key: 'address', name: 'Địa chỉ giao hàng thường dùng của khách', type: 'text' },
  ] as const
  for (const body of fields)
    await admin.call('POST /contact-fields', {
      body: { ...body, choices: [...('choices' in body ? body.choices : [])] },
    })
  await admin.call('POST /contacts', {
    body: {
      name: `Công Tằng Tôn Nữ ${'Thị Bạch Tuyết '.repeat(8)}`.slice(0, 100).trim(),
      note: `Khách quen từ 2019. ${'Thích áo dài lụa tơ tằm. '.repeat(12)}`,
      phoneNumbers: Array.from({ length: 5 }, (_, n) => `+84 90${n} 555 123`),
      tags: ['VIP', 'Khách sỉ', 'Đã mua trong tháng', 'Hay hỏi giá', 'Giao tận nơi', 'Sinh nhật tháng 5'],
      values: {
        city: 'TP. Hồ Chí Minh',
        birthday: '1990-05-17',
        points: 12_500.5,
        member: true,
        address: `Hẻm 512/${'7/'.repeat(20)}3 Cách Mạng Tháng Tám, Phường 11, Quận 3`,
      },
    },
  })
  for (let n = 0; n < 24; n++)
    await admin.call('POST /contacts', {
      body: {
        name: names[n % names.length],
        phoneNumbers: [`09091200${String(n).padStart(2, '0')}`],
        tags: n % 3 === 0 ? ['VIP'] : [],
        values: { city: n % 2 === 0 ? 'Hà Nội' : 'Đà Nẵng' },
      },
    })
  const { id } = await admin.call('POST /lists', { body: { name: 'Khách quen', isForAll: true } })
  await admin.call('POST /lists/:id/contacts', { params: { id }, body: { filter: {} } })
  const { tags } = await admin.call('GET /tags', {})
  const tagIds = tags.filter(({ name }) => name === 'VIP').map((tag) => tag.id)
  const filter = { search: 'n', tagIds, fields: [{ key: 'city', value: 'Hà Nội' }] }
  await admin.call('POST /lists', { body: { name: `Khách Hà Nội ${'hay mua '.repeat(10)}`, filter } })
}

/** Adds an import that has been checked, and one that has ended. Both have rows that are refused. */
export async function furnishImports(admin: Api) {
  await upload(admin, 'Khách hàng cửa hàng Hà Nội và các đại lý, tháng 5 năm 2026.csv')
  const done = await upload(admin, 'khach-hang.csv')
  await admin.call('POST /imports/:id/start', {
    params: { id: done.id },
    body: {
      known: 'fill',
      listId: null,
      tags: ['VIP', 'Đã nhập'],
      consent: 'Khách đồng ý tại hội chợ.',
      version: done.version,
    },
  })
  await untilStatus(admin, done.id, 'done')
}

/** Uploads a file with a destroyed number and one that comes twice, and waits until it is checked. */
async function upload(admin: Api, name: string) {
  const rows = names.map(
    (person, n) => `${person};${n === 1 ? '8,49E+10' : `090777000${n === 4 ? 3 : n}`};Hà Nội`,
  )
  const body = new FormData()
  body.set(
    'file',
    new Blob([['Họ tên;Số điện thoại;Thành phố', ...rows].join('\n')], { type: 'text/csv' }),
    name,
  )
  const { id } = await admin.call('POST /imports', { body })
  return untilStatus(admin, id, 'checked')
}

async function untilStatus(admin: Api, id: number, status: string) {
  const read = () => admin.call('GET /imports/:id', { params: { id } })
  await expect.poll(read, { timeout: 60_000 }).toMatchObject({ status })
  return read()
}
