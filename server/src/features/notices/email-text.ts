import { fill } from '@sendroom/contract/errors'
import type { Language } from '@sendroom/contract/languages'
import { expiryKinds, type NoticeKind, noticeKinds } from '@sendroom/contract/notice-kinds'
import type { Mail } from '../../platform/mail.ts'
import { bellTexts, wordsOf } from './email-words.ts'
import type { DueNotice, Recipient } from './notices.queries.ts'

/** A longer list is not read, and Sendroom itself has all of it. */
const MAX_LINES = 100
const MAX_SUBJECT = 150

/** As in the web app: all times are shown in Vietnam's time zone, wherever the user is. */
const timeZone = 'Asia/Ho_Chi_Minh'

const moments = ['begin', 'reminder', 'end'] as const

/** Returns an email about all of these notices, in the user's language. The user opens Sendroom at `publicUrl`. */
export function emailOf(to: Recipient, notices: DueNotice[], publicUrl: string | undefined): Mail {
  const { language } = to
  const groups = groupsOf(notices)
  const sections = groups.map(({ kind, moment, members }) => {
    const shown = members.slice(0, MAX_LINES)
    const more = members.length - shown.length
    return [
      `${headingOf(language, kind, moment)} (${members.length})`,
      ...shown.map((notice) => `- ${lineOf(language, notice)}`),
      ...(more > 0 ? [fill(wordsOf[language].more, { number: more })] : []),
    ].join('\n')
  })
  return mail(
    to,
    `Sendroom: ${groups.map((group) => subjectOf(language, group)).join('; ')}`,
    sections,
    publicUrl,
  )
}

export const testEmail = (to: Recipient, publicUrl: string | undefined): Mail =>
  mail(to, wordsOf[to.language].testSubject, [wordsOf[to.language].testText], publicUrl)

function mail(to: Recipient, subject: string, sections: string[], publicUrl: string | undefined): Mail {
  const words = wordsOf[to.language]
  const end = publicUrl ? [fill(words.open, { address: publicUrl })] : []
  const text = [fill(words.greeting, { user: to.username }), ...sections, ...end, words.footer].join('\n\n')
  const short = [...subject]
  return {
    to: to.email,
    subject: short.length > MAX_SUBJECT ? `${short.slice(0, MAX_SUBJECT).join('')}…` : subject,
    text: `${text}\n`,
  }
}

type Group = { kind: NoticeKind; moment: DueNotice['moment']; members: DueNotice[] }

const groupsOf = (notices: DueNotice[]): Group[] =>
  moments.flatMap((moment) =>
    noticeKinds
      .map((kind) => ({
        kind,
        moment,
        members: notices.filter((notice) => notice.kind === kind && notice.moment === moment),
      }))
      .filter(({ members }) => members.length > 0),
  )

function headingOf(language: Language, kind: NoticeKind, moment: DueNotice['moment']): string {
  const { BEGIN, END } = bellTexts(language).NOTICE
  if (moment === 'end') return END[kind]
  return moment === 'begin' ? BEGIN[kind] : fill(wordsOf[language].still, { heading: BEGIN[kind] })
}

function subjectOf(language: Language, { kind, moment, members: [first, ...others] }: Group): string {
  const heading = headingOf(language, kind, moment)
  if (others.length > 0) return `${heading} (${others.length + 1})`
  const name = first ? nameOf(first) : ''
  return name ? `${heading}: ${name}` : heading
}

function lineOf(language: Language, notice: DueNotice): string {
  const sentence = notice.moment === 'end' ? '' : sentenceOf(language, notice)
  return [[nameOf(notice), sentence].filter(Boolean).join(': '), `(${timesOf(language, notice)})`]
    .filter(Boolean)
    .join(' ')
}

function sentenceOf(language: Language, { reason }: DueNotice): string {
  const sentence = reason && bellTexts(language).REASON[reason.code]
  return sentence ? fill(sentence, reason.params) : ''
}

function timesOf(language: Language, { kind, beganAt, endedAt, expiresAt, moment }: DueNotice): string {
  const words = wordsOf[language]
  const format = new Intl.DateTimeFormat(words.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const say = (instant: string) => format.format(new Date(instant))
  if (moment === 'end' && endedAt) return fill(words.from, { from: say(beganAt), to: say(endedAt) })
  if (expiryKinds.includes(kind) && expiresAt) return fill(words.expires, { time: say(expiresAt) })
  return fill(words.since, { time: say(beganAt) })
}

/** Names are typed by people. A line break would look like another notice. */
function nameOf({ instance, job, series, apiKey, host }: DueNotice): string {
  const subject = job ? `#${job.id} ${job.name}` : series?.name
  const name = subject ? `${subject} (${instance?.name})` : (instance?.name ?? apiKey?.name ?? host)
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
