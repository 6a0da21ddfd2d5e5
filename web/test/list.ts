import type { ContactList } from '@sendroom/contract/lists'

export const fixedList: ContactList = {
  id: 7,
  name: 'Khách quen',
  kind: 'fixed',
  filter: null,
  tags: [],
  size: 1250,
  isForAll: false,
  users: [{ id: 3, name: 'lan' }],
  createdByUserName: 'minh',
  createdAt: '2026-11-22T08:00:00.000Z',
  version: 2,
}

export const filterList: ContactList = {
  ...fixedList,
  id: 8,
  name: 'Huế VIP',
  kind: 'filter',
  filter: { search: 'tea', tagIds: [1], fields: [{ key: 'city', value: 'Huế' }] },
  tags: [{ id: 1, name: 'VIP' }],
  size: null,
  isForAll: true,
  users: [],
}
