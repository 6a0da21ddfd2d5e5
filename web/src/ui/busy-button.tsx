import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { busy } from './barred.ts'

type Props = ButtonProps & Pick<ComponentProps<'button'>, 'type' | 'form' | 'onClick'> & { isBusy: boolean }

/** A button that shows its work, and keeps the focus meanwhile: Mantine's own would be `disabled`. */
export const BusyButton = ({ isBusy, ...props }: Props) => (
  <Button
    {...props}
    loading={isBusy}
    {...(isBusy && { renderRoot: (root) => <button {...root} disabled={false} {...busy} /> })}
  />
)
