import { Paper, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

type Props = { title: string; titleMargin?: number | 'sm'; children: ReactNode }

/** A framed part of a page with a heading. */
export function Section({ title, titleMargin = 'sm', children }: Props) {
  const id = useId()
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Title order={2} size="h5" id={id} mb={titleMargin}>
        {title}
      </Title>
      {children}
    </Paper>
  )
}
