import { Button, type ButtonProps } from '@mantine/core'
import { type ComponentProps, useLayoutEffect, useRef } from 'react'
import { busy } from './barred.ts'

type Props = ButtonProps & Pick<ComponentProps<'button'>, 'type' | 'form' | 'onClick'> & { isBusy: boolean }

/**
 * A button that shows its work and keeps the focus meanwhile: Mantine's own would be `disabled`. One that sends a form
 * has to be, and gets its focus back.
 */
export function BusyButton({ isBusy, ...props }: Props) {
  const isDisabled = isBusy && props.type === 'submit'
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const element = button.current
    if (!isDisabled || document.activeElement !== element) return
    return () => {
      if (document.activeElement === document.body) element?.focus()
    }
  }, [isDisabled])
  return (
    <Button
      ref={button}
      {...props}
      loading={isBusy}
      {...(isBusy &&
        !isDisabled && { renderRoot: (root) => <button {...root} disabled={false} {...busy} /> })}
    />
  )
}
