import { Title } from '@mantine/core'

/** The heading of a page. Also sets the browser tab's title. */
export const PageTitle = ({ children }: { children: string }) => (
  <>
    <title>{`${children} · Sendroom`}</title>
    <Title order={1} size="h3">
      {children}
    </Title>
  </>
)
