import { Button, type ButtonProps } from '@mantine/core'
import { type ComponentProps, useLayoutEffect, useRef } from 'react'
import { busyProps } from './button-props.ts'

type Props = ButtonProps & Pick<ComponentProps<'button'>, 'type' | 'form' | 'onClick'> & { isBusy: boolean }

/**
 * A button with a loading state that keeps the focus. Mantine's own loading button is `disabled` and loses it. A submit
 * button has to be disabled, so it takes the focus back afterwards.
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
        !isDisabled && { renderRoot: (root) => <button {...root} disabled={false} {...busyProps} /> })}
    />
  )
}
