import { Badge } from '@mantine/core'
import { expiryDays } from '@sendroom/contract/limits'
import { daysUntil, formatDate } from '../../format.ts'

/** The badge's color by days left: gray above 7, yellow from 7, orange from 3, red after the expiry. */
export function expiryColor(daysLeft: number): string {
  if (daysLeft < 0) return 'red'
  if (daysLeft <= expiryDays.strong) return 'orange'
  if (daysLeft <= expiryDays.warning) return 'yellow'
  return 'gray'
}

export function ExpiryBadge({ at }: { at: string | null }) {
  if (at === null) return '–'
  const daysLeft = daysUntil(at)
  return (
    <Badge variant={daysLeft < 0 ? 'filled' : 'light'} color={expiryColor(daysLeft)}>
      {formatDate(at)}
    </Badge>
  )
}
