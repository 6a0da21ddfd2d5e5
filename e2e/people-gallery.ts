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
  const filter = { search: 'lan', tagIds: [1], fields: [{ key: 'city', value: 'Hà Nội' }] }
  await admin.call('POST /lists', { body: { name: `Khách Hà Nội ${'hay mua '.repeat(10)}`, filter } })
}
