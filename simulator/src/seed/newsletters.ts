import { lastDigits } from './hash.ts'

/** A channel of WhatsApp, which the API calls newsletter, as our number sees it. */
export interface Newsletter {
  /** 18 digits and `@newsletter`. */
  id: string
  name: string
  description: string
  /** Our role. Only owners and admins may post. */
  role: 'owner' | 'admin' | 'subscriber'
  subscribers: number
  /** Unix seconds. */
  createdAt: number
}

const all: Omit<Newsletter, 'id'>[] = [
  {
    name: 'Khuyến mãi mỗi ngày 🎁',
    description: 'Giá tốt mỗi sáng lúc 8 giờ',
    role: 'owner',
    subscribers: 1284,
    createdAt: 1_700_000_000,
  },
  {
    name: 'Hàng mới về',
    description: 'Sản phẩm mới của cửa hàng',
    role: 'admin',
    subscribers: 412,
    createdAt: 1_710_000_000,
  },
  {
    name: 'Báo giá nông sản',
    description: 'Giá chợ đầu mối',
    role: 'subscriber',
    subscribers: 96_310,
    createdAt: 1_690_000_000,
  },
]

/**
 * Returns the newsletters of a number: its own, one that it is an admin of, and one that it only follows. The ids begin
 * as WhatsApp's do, and differ from those of groups.
 */
export const newslettersOf = (seed: number): Newsletter[] =>
  all.map((one, index) => ({ ...one, id: `120363${lastDigits(seed, 6)}99999${index}@newsletter` }))

/** Returns the newsletter with this id, or undefined if the number neither owns nor follows such a one. */
export const findNewsletter = (seed: number, id: string): Newsletter | undefined =>
  newslettersOf(seed).find((one) => one.id === id)

/** Whether our number may post. */
export const mayPost = ({ role }: Newsletter): boolean => role !== 'subscriber'
