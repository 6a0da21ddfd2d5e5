import type { Language } from '@sendroom/contract/languages'
import type { NoticeKind } from '@sendroom/contract/notice-kinds'
import type { ReasonCode } from '@sendroom/contract/reasons'
import { webTexts } from '../../platform/web-texts.ts'

/** The texts of the bell that emails repeat. A newer program may have stored the code of another reason. */
type BellTexts = {
  NOTICE: { BEGIN: Record<NoticeKind, string>; END: Record<NoticeKind, string> }
  REASON: Partial<Record<ReasonCode, string>>
}

export const bellTexts = (language: Language) => webTexts<BellTexts>(language)

type Words = {
  locale: string
  greeting: string
  still: string
  since: string
  from: string
  expires: string
  more: string
  open: string
  footer: string
  testSubject: string
  testText: string
}

/** The words that only emails have, so that the web app does not load them. */
export const wordsOf: Record<Language, Words> = {
  en: {
    locale: 'en-GB',
    greeting: 'Hello {{user}},',
    still: 'Still: {{heading}}',
    since: 'since {{time}}',
    from: '{{from}} to {{to}}',
    expires: 'expires on {{time}}',
    more: '… and {{number}} more.',
    open: 'Open Sendroom: {{address}}',
    footer: 'To choose what Sendroom tells you, open the bell in Sendroom and then the settings.',
    testSubject: 'Sendroom: test email',
    testText: 'This is a test. Sendroom can send you emails.',
  },
  vi: {
    locale: 'vi-VN',
    greeting: 'Chào {{user}},',
    still: 'Vẫn còn: {{heading}}',
    since: 'từ {{time}}',
    from: '{{from}} đến {{to}}',
    expires: 'hết hạn ngày {{time}}',
    more: '… và {{number}} mục khác.',
    open: 'Mở Sendroom: {{address}}',
    footer: 'Để chọn những gì Sendroom báo cho bạn, hãy mở chuông trong Sendroom rồi mở phần cài đặt.',
    testSubject: 'Sendroom: email thử',
    testText: 'Đây là email thử. Sendroom gửi được email cho bạn.',
  },
  cn: {
    locale: 'zh-CN',
    greeting: '{{user}}，您好：',
    still: '仍未解决：{{heading}}',
    since: '自 {{time}} 起',
    from: '{{from}} 至 {{to}}',
    expires: '{{time}} 到期',
    more: '……另有 {{number}} 项。',
    open: '打开 Sendroom：{{address}}',
    footer: '如需选择接收哪些通知，请在 Sendroom 中打开铃铛，再进入设置。',
    testSubject: 'Sendroom：测试邮件',
    testText: '这是一封测试邮件。Sendroom 可以给您发送邮件。',
  },
}
