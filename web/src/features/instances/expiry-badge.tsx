import { Badge } from '@mantine/core'
import { expiryDays } from '@sendroom/contract/limits'
import { daysUntil, formatDate } from '../../format.ts'

/** Stronger the nearer it comes: more than 7 days left, 7 to 4, 3 to 0, over. */
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
