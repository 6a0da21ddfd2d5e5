import type { StoryLine } from './instruments.ts'

export const told = (lines: StoryLine[]) =>
  lines
    .map(
      (line) =>
        `#${line.id} ${line.at} ${line.who}: delivery ${line.deliveryId} ${line.was} → ${line.became}`,
    )
    .join('; ')

export function groups<T>(items: T[], key: (item: T) => string): T[][] {
  return [...Map.groupBy(items, key).values()]
}
