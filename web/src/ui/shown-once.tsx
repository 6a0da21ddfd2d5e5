import { Alert, Group, Paper, Stack, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { PageTitle } from './page-title.tsx'

type Props = {
  title: string
  hint: string
  label: string
  secret: string
  /** Leads on, once the secret is kept somewhere. */
  children: ReactNode
}

/** The page with a new secret, which nobody can see again. */
export const ShownOnce = ({ title, hint, label, secret, children }: Props) => (
  <Stack maw={640}>
    <PageTitle>{title}</PageTitle>
    <Paper withBorder p="lg">
      <Stack>
        <Alert color="yellow">{hint}</Alert>
        <Textarea
          label={label}
          readOnly
          autosize
          value={secret}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Group justify="flex-end">
          <CopyButton text={secret} />
          {children}
        </Group>
      </Stack>
    </Paper>
  </Stack>
)
