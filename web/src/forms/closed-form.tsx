import { Alert, Stack } from '@mantine/core'
import { PageTitle } from '../ui/page-title.tsx'

/** In the place of a form that this user may not fill in: which one it is, and why not. */
export const ClosedForm = ({ title, reason }: { title: string; reason: string }) => (
  <Stack>
    <PageTitle>{title}</PageTitle>
    <Alert color="yellow">{reason}</Alert>
  </Stack>
)
