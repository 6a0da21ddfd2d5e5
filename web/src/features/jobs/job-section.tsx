import { Paper, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A part of a job's page, with its heading. */
export function JobSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Title order={2} size="h5" id={id} mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}
