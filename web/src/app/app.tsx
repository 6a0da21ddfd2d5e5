import { MantineProvider } from '@mantine/core'
import { RouterProvider } from '@tanstack/react-router'
import { styleNonce } from './content-policy.ts'
import type { AppRouter } from './router.tsx'
import { cssVariables, theme } from './theme.ts'

type Props = { router: AppRouter; env?: 'default' | 'test' }

export const App = ({ router, env = 'default' }: Props) => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={styleNonce}
    env={env}
  >
    <RouterProvider router={router} />
  </MantineProvider>
)
