import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import classes from './tip.module.css'

/** Between the tooltip and its button, and between the tooltip and the edges of the window. */
const GAP = 6

/**
 * The tooltip of an icon button. Spread `props` on the button and render `tip` inside of it. Unlike the browser's
 * `title`, the tooltip shows on keyboard focus too. A popover is not clipped by a table's frame.
 */
export function useTip(text: string) {
  const [button, setButton] = useState<HTMLElement | null>(null)
  const hide = () => setButton(null)
  return {
    props: {
      // A touch shows no tooltip: its tap presses the button.
      onPointerEnter: ({ pointerType, currentTarget }: PointerEvent<HTMLElement>) => {
        if (pointerType === 'mouse') setButton(currentTarget)
      },
      onPointerLeave: hide,
      // The button may open a dialog, which the tooltip would cover.
      onPointerDown: hide,
      onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) => {
        if (currentTarget.matches(':focus-visible')) setButton(currentTarget)
      },
      onBlur: hide,
      onKeyDown: ({ key }: KeyboardEvent) => {
        if (key === 'Escape') hide()
      },
    },
    // Another text has another width, so it is a new tooltip.
    tip: button && <Tip key={text} button={button} text={text} />,
  }
}

function Tip({ button, text }: { button: HTMLElement; text: string }) {
  const tip = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (tip.current) showAt(tip.current, button)
  }, [button])
  return (
    <span ref={tip} popover="manual" className={classes.tip}>
      {text}
    </span>
  )
}

/** Shows a tooltip above its button, or below where there is no space. It scrolls with the page. */
function showAt(tip: HTMLElement, button: HTMLElement) {
  tip.showPopover()
  const { left, width, top, bottom } = button.getBoundingClientRect()
  const farthest = document.documentElement.clientWidth - tip.offsetWidth - GAP
  const above = top - tip.offsetHeight - GAP
  tip.style.left = `${Math.max(GAP, Math.min(left + (width - tip.offsetWidth) / 2, farthest)) + window.scrollX}px`
  tip.style.top = `${(above > 0 ? above : bottom + GAP) + window.scrollY}px`
}
