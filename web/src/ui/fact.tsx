import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { name: string; children: ReactNode }

/** A name with its value, inside of a `dl`. */
export const Fact = ({ name, children }: Props) => (
  <div>
    <Text component="dt" size="xs" c="dimmed">
      {name}
    </Text>
    <Text component="dd" size="sm" m={0}>
      {children || '–'}
    </Text>
  </div>
)
