import type { Language } from '@sendroom/contract/languages'
import type { NoticeKind } from '@sendroom/contract/notice-kinds'
import type { ReasonCode } from '@sendroom/contract/reasons'

/** What the engine stores in `waiting` and `busy` of an account, and the codes of `downBecause`. */
type HeldBackBy = Extract<
  ReasonCode,
  | `account_${'inactive' | 'not_linked' | 'unpaid' | 'bad_token' | 'restricted' | 'failures'}`
  | `provider_${'busy' | 'unreachable' | 'error' | 'unreadable'}`
  | 'history_unreadable'
  | 'image_store_down'
>

export type Words = {
  locale: string
  greeting: string
  /** Headings. They are those of the bell: a test compares them with the interface texts. */
  begin: Record<NoticeKind, string>
  end: Record<NoticeKind, string>
  still: string
  since: string
  from: string
  expires: string
  more: string
  open: string
  footer: string
  testSubject: string
  testText: string
  /** Why an account or a job is in trouble, as the interface says it. */
  reasons: Record<HeldBackBy, string> & Partial<Record<ReasonCode, string>>
}

/** The texts of emails. They are here because the server does not read the texts of the web app. */
export const wordsOf: Record<Language, Words> = {
  en: {
    locale: 'en-GB',
    greeting: 'Hello {{user}},',
    begin: {
      account_down: 'Accounts that can’t send',
      account_expiring: 'Accounts that expire soon',
      job_failed: 'Failed jobs',
      job_stuck: 'Jobs that stand still',
      backup_failed: 'Backup failed or overdue',
      disk_low: 'Disk nearly full',
    },
    end: {
      account_down: 'Accounts that can send again',
      account_expiring: 'Accounts that were renewed',
      job_failed: 'Failed jobs that were started again',
      job_stuck: 'Jobs that are moving again',
      backup_failed: 'Backup succeeded',
      disk_low: 'Disk has enough space again',
    },
    still: 'Still: {{heading}}',
    since: 'since {{time}}',
    from: '{{from}} to {{to}}',
    expires: 'expires on {{time}}',
    more: '… and {{number}} more.',
    open: 'Open Sendroom: {{address}}',
    footer: 'To choose what Sendroom tells you, open the bell in Sendroom and then the settings.',
    testSubject: 'Sendroom: test email',
    testText: 'This is a test. Sendroom can send you emails.',
    reasons: {
      account_inactive: 'The account isn’t active.',
      account_not_linked: 'The account isn’t linked to WhatsApp. Scan the QR code.',
      account_unpaid: 'The account is unpaid at the provider, or the trial is used up.',
      account_bad_token: 'The provider doesn’t recognize this token.',
      account_restricted: 'WhatsApp has restricted this account.',
      account_failures:
        'The last {{count}} messages of this account failed. Check the account before you resume sending.',
      history_unreadable:
        'The chat history can’t be read, so it’s unknown what was already sent. Retrying automatically; check the chats before you resume sending yourself.',
      image_store_down:
        'The image is unavailable right now. If this continues, tell an Admin: the image store may be unreachable.',
      provider_busy: 'The provider is busy or unreachable. Retrying automatically.',
      provider_unreachable: 'The provider is unreachable.',
      test_mode_off: 'Test mode is off on this server (TEST_MODE). Enter the token of a real account.',
      provider_error: 'The provider reported an error ({{status}}).',
      provider_unreadable: 'The provider sent an unreadable answer.',
    },
  },
  vi: {
    locale: 'vi-VN',
    greeting: 'Chào {{user}},',
    begin: {
      account_down: 'Tài khoản không gửi được',
      account_expiring: 'Tài khoản sắp hết hạn',
      job_failed: 'Lượt gửi thất bại',
      job_stuck: 'Lượt gửi bị đứng lại',
      backup_failed: 'Sao lưu thất bại hoặc quá hạn',
      disk_low: 'Ổ đĩa sắp đầy',
    },
    end: {
      account_down: 'Tài khoản đã gửi lại được',
      account_expiring: 'Tài khoản đã được gia hạn',
      job_failed: 'Lượt gửi thất bại đã được chạy lại',
      job_stuck: 'Lượt gửi đã chạy tiếp',
      backup_failed: 'Sao lưu thành công',
      disk_low: 'Ổ đĩa đã đủ chỗ trống',
    },
    still: 'Vẫn còn: {{heading}}',
    since: 'từ {{time}}',
    from: '{{from}} đến {{to}}',
    expires: 'hết hạn ngày {{time}}',
    more: '… và {{number}} mục khác.',
    open: 'Mở Sendroom: {{address}}',
    footer: 'Để chọn những gì Sendroom báo cho bạn, hãy mở chuông trong Sendroom rồi mở phần cài đặt.',
    testSubject: 'Sendroom: email thử',
    testText: 'Đây là email thử. Sendroom gửi được email cho bạn.',
    reasons: {
      account_inactive: 'Tài khoản đang tắt.',
      account_not_linked: 'Tài khoản chưa liên kết với WhatsApp. Hãy quét mã QR.',
      account_unpaid: 'Tài khoản chưa thanh toán với nhà cung cấp, hoặc đã hết lượt dùng thử.',
      account_bad_token: 'Nhà cung cấp không nhận ra token này.',
      account_restricted: 'WhatsApp đã hạn chế tài khoản này.',
      account_failures:
        '{{count}} tin nhắn gần nhất của tài khoản này đều thất bại. Hãy kiểm tra tài khoản rồi tiếp tục gửi.',
      history_unreadable:
        'Không đọc được lịch sử trò chuyện nên chưa rõ tin nhắn nào đã gửi. Sendroom sẽ tự thử lại; hãy xem các cuộc trò chuyện trước khi tự cho gửi tiếp.',
      image_store_down:
        'Hiện không mở được ảnh. Nếu vẫn lỗi, hãy báo quản trị viên: kho ảnh có thể mất kết nối.',
      provider_busy: 'Nhà cung cấp đang quá tải hoặc mất kết nối. Sendroom sẽ tự thử lại.',
      provider_unreachable: 'Không kết nối được nhà cung cấp.',
      test_mode_off: 'Chế độ thử đã tắt trên máy chủ này (TEST_MODE). Hãy nhập token của tài khoản thật.',
      provider_error: 'Nhà cung cấp báo lỗi ({{status}}).',
      provider_unreadable: 'Không đọc được phản hồi của nhà cung cấp.',
    },
  },
  cn: {
    locale: 'zh-CN',
    greeting: '{{user}}，您好：',
    begin: {
      account_down: '无法发送的账号',
      account_expiring: '即将到期的账号',
      job_failed: '失败的任务',
      job_stuck: '停滞的任务',
      backup_failed: '备份失败或逾期',
      disk_low: '磁盘空间不足',
    },
    end: {
      account_down: '已恢复发送的账号',
      account_expiring: '已续期的账号',
      job_failed: '已重新执行的失败任务',
      job_stuck: '已继续发送的任务',
      backup_failed: '备份成功',
      disk_low: '磁盘空间已恢复',
    },
    still: '仍未解决：{{heading}}',
    since: '自 {{time}}',
    from: '{{from}} 至 {{to}}',
    expires: '{{time}} 到期',
    more: '……另有 {{number}} 项。',
    open: '打开 Sendroom：{{address}}',
    footer: '如需选择接收哪些通知，请在 Sendroom 中打开铃铛，再进入设置。',
    testSubject: 'Sendroom：测试邮件',
    testText: '这是一封测试邮件。Sendroom 可以给您发送邮件。',
    reasons: {
      account_inactive: '账号未启用。',
      account_not_linked: '账号尚未关联 WhatsApp，请扫描二维码。',
      account_unpaid: '账号未向服务商付费，或试用额度已用完。',
      account_bad_token: '服务商无法识别该令牌。',
      account_restricted: 'WhatsApp 已限制该账号。',
      account_failures: '该账号最近 {{count}} 条消息连续发送失败。请检查账号后再恢复发送。',
      history_unreadable:
        '无法读取聊天记录，不确定哪些消息已发送。Sendroom 会自动重试；自行恢复发送前，请先查看聊天。',
      image_store_down: '目前无法打开图片。如问题持续，请联系管理员：图片存储可能无法连接。',
      provider_busy: '服务商繁忙或无法连接，正在自动重试。',
      provider_unreachable: '无法连接服务商。',
      test_mode_off: '此服务器已关闭测试模式（TEST_MODE）。请输入真实账号的令牌。',
      provider_error: '服务商返回错误（{{status}}）。',
      provider_unreadable: '无法解析服务商的响应。',
    },
  },
}
