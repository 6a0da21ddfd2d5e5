import { expect, test } from 'vitest'
import { readCoordinates } from './coordinates.ts'

// R-1741
test.each([
  ['10.77, 106.70', '10.77', '106.70'],
  ['(10.77,106.7)', '10.77', '106.7'],
  [' -33.8568 151.2153\n', '-33.8568', '151.2153'],
  ['10.77°; 106.7°', '10.77', '106.7'],
  ['https://www.google.com/maps/@10.7769,106.7009,17z', '10.7769', '106.7009'],
  [
    'https://www.google.com/maps/place/Ch%E1%BB%A3+B%E1%BA%BFn+Th%C3%A0nh/@10.77,106.69,17z/data=!3m1!4b1!4m6!3m5!1s0x0!8m2!3d10.7725!4d106.698',
    '10.7725',
    '106.698',
  ],
  ['https://www.google.com/maps/search/?api=1&query=10.77%2C106.70', '10.77', '106.70'],
  ['https://maps.google.com/?q=10.77,106.70', '10.77', '106.70'],
  ['https://www.openstreetmap.org/?mlat=10.77&mlon=106.70#map=17/10.77/106.70', '10.77', '106.70'],
])('%s is a place', (text, latitude, longitude) => {
  expect(readCoordinates(text)).toEqual({ latitude, longitude })
})

test.each([
  '10.77',
  '10,77',
  'Chợ Bến Thành',
  '1234, 5678',
  'https://maps.app.goo.gl/abc123',
  'https://example.com/?x=%E0%A4%A',
])('%s is no place', (text) => {
  expect(readCoordinates(text)).toBeNull()
})
