import { ActionIcon } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePolling } from '../../api/event-stream.ts'
import { useRead } from '../../api/queries.ts'
import { counted } from '../../i18n/words.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { useTip } from '../../ui/tip.tsx'
import classes from './bell.module.css'

const NoticeList = lazyComponent(async () => (await import('./notice-list.tsx')).NoticeList)
const NoticeSettings = lazyComponent(async () => (await import('./notice-settings.tsx')).NoticeSettings)

const POLL_MS = 60_000
const POPOVER = 'notices'
const MAX_SHOWN = 99

/** Uses the browser's own popover, which closes on Escape or an outside click and returns the focus. */
export function Bell() {
  const { t } = useTranslation()
  const polling = usePolling()
  const [isOpen, setIsOpen] = useState(false)
  const [isChoosing, setIsChoosing] = useState(false)
  // A bell that can't be read is no reason for a toast on each page.
  const { data } = useRead('GET /notices', {}, { meta: { isQuiet: true }, refetchInterval: polling(POLL_MS) })
  const unread = data?.notices.filter(({ isRead }) => !isRead).length ?? 0
  const label = unread > 0 ? t('NOTICE.UNREAD', counted(unread)) : t('NOTICE.TITLE')
  const { props, tip } = useTip(label)
  const hide = () => document.getElementById(POPOVER)?.hidePopover()
  return (
    <>
      <ActionIcon
        className={classes.bell}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        aria-expanded={isOpen}
        popoverTarget={POPOVER}
        {...props}
      >
        <IconBell size={18} aria-hidden />
        {unread > 0 && (
          <span className={classes.count} aria-hidden>
            {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
          </span>
        )}
        {tip}
      </ActionIcon>
      <div
        id={POPOVER}
        popover="auto"
        className={classes.popover}
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && (
          <NoticeList
            notices={data?.notices ?? []}
            onLeave={hide}
            onSettings={() => {
              hide()
              setIsChoosing(true)
            }}
          />
        )}
      </div>
      {isChoosing && <NoticeSettings onClose={() => setIsChoosing(false)} />}
    </>
  )
}
