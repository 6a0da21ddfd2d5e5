import { MantineProvider } from '@mantine/core'
import { RouterProvider } from '@tanstack/react-router'
import type { AppRouter } from './router.tsx'
import { cssVariables, theme } from './theme.ts'

type Props = { router: AppRouter; env?: 'default' | 'test' }

export const App = ({ router, env = 'default' }: Props) => (
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" env={env}>
    <RouterProvider router={router} />
  </MantineProvider>
)
