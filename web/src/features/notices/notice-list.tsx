import { ActionIcon, Button } from '@mantine/core'
import { expiryKinds, isOfSignIn, noticeKinds } from '@sendroom/contract/notice-kinds'
import type { Notice } from '@sendroom/contract/notices'
import { IconSettings } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { formatDate, formatDateTime, formatNumber } from '../../format.ts'
import { bracketed } from '../../i18n/punctuation.ts'
import { counted, reasonText } from '../../i18n/words.ts'
import { Name } from '../../ui/name.tsx'
import { useTip } from '../../ui/tip.tsx'
import classes from './bell.module.css'

/** Fifty instances that drop out at once must not hide everything else. */
const SHOWN = 3

type Props = { notices: Notice[]; onLeave: () => void; onSettings: () => void }

/** The notices in groups: what lasts before what is over, one group for each kind of trouble. */
export function NoticeList({ notices, onLeave, onSettings }: Props) {
  const { t } = useTranslation()
  const { props, tip } = useTip(t('NOTICE.SETTINGS'))
  const markRead = useMarkRead()
  const unread = notices.filter(({ isRead }) => !isRead)
  return (
    <>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('NOTICE.TITLE')}</h2>
        <div className={classes.buttons}>
          {unread.length > 0 && (
            <Button variant="subtle" size="compact-sm" onClick={() => markRead(unread)}>
              {t('NOTICE.READ_ALL')}
            </Button>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('NOTICE.SETTINGS')}
            {...props}
            onClick={onSettings}
          >
            <IconSettings size={18} aria-hidden />
            {tip}
          </ActionIcon>
        </div>
      </div>
      {notices.length === 0 && <p className={classes.empty}>{t('NOTICE.EMPTY')}</p>}
      {groupsOf(notices).map((group) => (
        <NoticeGroup key={`${group.kind} ${group.isOver}`} {...group} onLeave={onLeave} />
      ))}
    </>
  )
}

type Group = { kind: Notice['kind']; isOver: boolean; members: Notice[] }

const groupsOf = (notices: Notice[]): Group[] =>
  [false, true].flatMap((isOver) =>
    noticeKinds
      .map((kind) => {
        const members = notices.filter(
          (notice) => notice.kind === kind && (notice.endedAt !== null) === isOver,
        )
        return { kind, isOver, members }
      })
      .filter(({ members }) => members.length > 0),
  )

function useMarkRead() {
  const read = useAction('POST /notices/read', {})
  return (notices: Notice[]) => {
    const ids = notices.filter(({ isRead }) => !isRead).map(({ id }) => id)
    if (ids.length > 0) read.mutate({ body: { ids } })
  }
}

function NoticeGroup({ kind, isOver, members, onLeave }: Group & { onLeave: () => void }) {
  const { t } = useTranslation()
  const [isWhole, setIsWhole] = useState(false)
  const markRead = useMarkRead()
  const isUnread = members.some(({ isRead }) => !isRead)
  const shown = isWhole ? members : members.slice(0, SHOWN)
  const heading = isOver ? t(`NOTICE.END.${kind}`) : t(`NOTICE.BEGIN.${kind}`)
  return (
    <section className={classes.group} aria-label={heading}>
      <div className={classes.head}>
        <h3 className={classes.heading} data-unread={isUnread || undefined}>
          {members.length > 1 ? bracketed(heading, formatNumber(members.length)) : heading}
        </h3>
        {isUnread && (
          <Button variant="light" size="compact-sm" onClick={() => markRead(members)}>
            {t('NOTICE.READ')}
          </Button>
        )}
      </div>
      <ul className={classes.list}>
        {shown.map((notice) => (
          <li key={notice.id}>
            <Subject
              notice={notice}
              onFollow={() => {
                markRead([notice])
                onLeave()
              }}
            />
            <Details notice={notice} />
          </li>
        ))}
      </ul>
      {members.length > shown.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setIsWhole(true)}>
          {t('NOTICE.SHOW_ALL', counted(members.length))}
        </Button>
      )}
    </section>
  )
}

/** Links to the job, to what one can do about a sign-in, or to the API key or the instance in its list with buttons. */
function Subject({
  notice: { job, series, instance, apiKey, host, kind },
  onFollow,
}: {
  notice: Notice
  onFollow: () => void
}) {
  const { t } = useTranslation()
  if (job)
    return (
      <Link className={classes.link} to="/jobs/$id" params={{ id: String(job.id) }} onClick={onFollow}>
        <Name>{`#${job.id} ${job.name}`}</Name>
      </Link>
    )
  if (apiKey)
    return (
      <Link className={classes.link} to="/api-keys" search={{ search: apiKey.name }} onClick={onFollow}>
        <Name>{apiKey.name}</Name>
      </Link>
    )
  if (isOfSignIn(kind))
    return (
      <Link className={classes.link} to="/security" onClick={onFollow}>
        <Name>{t('SECURITY.TITLE')}</Name>
      </Link>
    )
  if (series) return <Name>{series.name}</Name>
  if (instance)
    return (
      <Link className={classes.link} to="/instances" search={{ search: instance.name }} onClick={onFollow}>
        <Name>{instance.name}</Name>
      </Link>
    )
  return host === '' ? null : <Name>{host}</Name>
}

function Details({
  notice: { job, series, instance, kind, reason, beganAt, endedAt, expiresAt },
}: {
  notice: Notice
}) {
  const { t } = useTranslation()
  const since = formatDateTime(beganAt)
  const times =
    endedAt !== null
      ? t('NOTICE.FROM_TO', { from: since, to: formatDateTime(endedAt) })
      : expiryKinds.includes(kind) && expiresAt !== null
        ? t('NOTICE.EXPIRES', { time: formatDate(expiresAt) })
        : isOfSignIn(kind)
          ? since // a sign-in is over at once
          : t('NOTICE.SINCE', { time: since })
  return (
    <>
      {reason && endedAt === null && <div>{reasonText(reason)}</div>}
      <div className={classes.more}>
        {(job ?? series) && instance && (
          <>
            <bdi>{instance.name}</bdi>
            {' · '}
          </>
        )}
        {times}
      </div>
    </>
  )
}
