import { describe, expect, test } from 'vitest'
import { defaultOptOutWords, type Meaning, OptOutWords, readerOf } from './opt-out-words.ts'

const read = readerOf(defaultOptOutWords)

// 300 texts by hand. A line is one message, except where a text has a line break of its own.
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

const stop = lines(`
  dừng
  Dừng
  DỪNG
  Dừng.
  Dừng!
  dừng!!!
  "Dừng"
  (dừng)
  ...dừng...
  Dừng 🛑
  🙏 dừng 🙏
  dừng ✋🏽
  Dừng lại
  DỪNG LẠI!
  dừng   lại
  dừng, lại
  Dừng tin nhắn
  dừng nhắn tin
  Dừng nhắn tin!
  ngừng
  Ngừng.
  NGỪNG
  Ngừng nhắn tin
  ngưng
  Ngưng!
  từ chối
  Từ chối.
  TỪ CHỐI
  tc
  TC
  Tc.
  hủy đăng ký
  Huỷ đăng ký
  HỦY ĐĂNG KÝ!
  không nhận tin
  Không nhận tin nữa
  không nhận tin nữa...
  stop
  Stop
  STOP
  STOP.
  Stop!
  stop!!
  "stop"
  'STOP'
  -stop-
  *STOP*
  _stop_
  stop 🛑
  🛑🛑 STOP 🛑🛑
  Stop 👎🏿
  ＳＴＯＰ
  ｓｔｏｐ
  stop all
  Stop All.
  STOPALL
  stop-all
  unsubscribe
  Unsubscribe
  UNSUBSCRIBE!
  unsubscribe.
  opt out
  opt-out
  Opt-Out
  OPT OUT!
  optout
  OPTOUT
  quit
  Quit.
  QUIT
  no more messages
  No more messages!
  停止
  停止。
  停止！
  「停止」
  停止🛑
  退订
  退订！
  【退订】
  退訂
  退訂。
  取消订阅
  取消订阅。
  取消訂閱
  拒收
  拒收！！
  td
  TD
  ＴＤ
`)
const start = lines(`
  bắt đầu
  Bắt đầu!
  Nhận lại tin
  start
  START
  Start.
  unstop
  Unstop!
  开始
  開始。
  重新订阅
  重新訂閱！
`)
const noAccents = lines(`
  dung
  Dung
  DUNG!
  dung.
  dung lai
  Dung tin nhan
  dung nhan tin
  ngung
  Ngung nhan tin
  tu choi
  TU CHOI
  huy dang ky
  khong nhan tin
  khong nhan tin nua
`)
const containing = lines(`
  cho tôi dừng nhé
  Cho tôi dừng nhé!
  Dạ dừng ạ
  dừng giúp em
  em xin dừng
  Dừng đi shop
  Shop ơi dừng lại
  Làm ơn dừng tin nhắn
  xin ngừng gửi
  mình từ chối nhé
  Tôi từ chối nhận quảng cáo
  TC giúp mình
  muốn hủy đăng ký
  stop please
  Please stop
  STOP PLEASE!!!
  stop it
  stop this now
  don't stop
  non stop
  bus stop
  can you stop texting me
  I want to unsubscribe
  unsubscribe me please
  please opt out
  opt me out, stop
  i quit
  stop nhé
  STOP ạ
  请停止
  请停止发送
  我要退订
  回复退订
  帮我退订
  请帮我取消订阅
  我拒收
  退订 谢谢
  请 停 止
  停止吧，谢谢
  TD 谢谢
`)
const complaint = lines(`
  Tôi sẽ báo cáo số này
  toi se bao cao so nay voi WhatsApp
  Đồ lừa đảo
  lua dao
  Đừng nhắn cho tôi nữa, tôi không quen ai ở shop này cả
  dung nhan cho toi nua
  Đừng gửi nữa
  dung gui tin quang cao nua nhe
  Phiền quá, các bạn làm phiền tôi suốt cả ngày hôm nay
  Thôi quấy rối khách hàng đi
  Tôi chặn số đây
  This is spam
  spam!!!
  Is this a scam?
  I will report you to WhatsApp
  I have reported this number
  I'm going to block you
  This is harassment, I know nobody at your shop
  leave me alone
  Cancel my order of yesterday evening, I found it cheaper elsewhere
  我要举报你
  再发就拉黑
  这是骚扰
  我会投诉你们公司
  诈骗
  别发了
  不要发了
  請不要發廣告
`)
const nothing = lines(`
  Đúng
  đúng rồi
  Đúng rồi shop ơi
  dùng
  Dùng tốt lắm
  Em dùng thấy ổn
  Dũng
  Anh Dũng đây
  Chào em, anh Dũng nhé
  dũng cảm
  đừng
  Đứng đó chờ em
  đụng xe rồi
  Nội dung này là gì?
  noi dung
  dung roi
  Da dung a
  Dung day, chi oi
  Phương Dung
  Chị Dung gửi em địa chỉ nhé
  Dừa nước còn không shop
  Mừng quá
  Từng này tiền thôi à
  rừng
  Còn hàng không shop?
  Giá bao nhiêu vậy
  Cho em hỏi giá
  Ship về Đà Nẵng bao nhiêu tiền
  ok
  Ok shop
  OK em
  Cảm ơn shop
  cam on nhieu
  Vâng ạ
  Dạ
  Không
  Không nhé
  Không cần đâu
  Chưa nhận được hàng
  Nhận được tin rồi nhé
  Tin này hay quá
  Hủy đơn giúp em
  Hủy
  Anh Huy ơi
  huy
  Đăng ký
  Đăng ký thế nào ạ
  Bắt đầu lúc mấy giờ?
  Khi nào bắt đầu
  Chán quá
  Đau chân
  Chặn đường rồi không đi được
  tcm
  ATC
  Chúc mừng năm mới
  👍
  👍👍👍
  ❤️
  🙏
  🛑
  ✋
  ...
  ?
  !!!
  1
  123
  0901234567
  yes
  Yes please
  no
  No thanks
  No
  thanks
  Thank you!
  ok great
  I'll be there at 5
  stopped by yesterday
  The bus stops here
  non-stopping
  stopwatch
  unstoppable
  I subscribed already
  subscribe
  quite good
  quiet please
  Is it in stock?
  When does the sale start?
  It starts on Monday
  restart
  starter kit, please
  top
  shop
  st0p
  s t o p
  Where is the exit? We cannot find it
  I block out every Tuesday for you
  Report is attached
  Please do not stop sending me these lovely offers
  Where do I get off, at the last stop before the market or at the one after it?
  Chiều nay xe có dừng ở cổng chợ Bến Thành để đón khách không ạ
  Công ty từ chối bảo hành vì máy đã quá hạn rồi nhé shop
  你好
  好的
  谢谢
  多少钱？
  有货吗
  什么时候发货
  停车场在哪里
  停电了
  退货
  我想退款
  订单到了吗
  开始了吗
  几点开始
  收到
  没有收到
  请问这个活动从什么时候开始到什么时候会停止接受报名
  请发图片
  发了吗
`)

const cases: [string, string[], Meaning | null][] = [
  ['opts out', stop, { kind: 'stop' }],
  ['opts in', start, { kind: 'start' }],
  ['may have meant it: no accents', noAccents, { kind: 'possible', why: 'no_accents' }],
  ['may have meant it: contains a word', containing, { kind: 'possible', why: 'contains' }],
  ['may be a complaint', complaint, { kind: 'possible', why: 'complaint' }],
  ['means nothing', nothing, null],
]

describe('a message', () => {
  for (const [what, texts, meaning] of cases)
    test(`${what}: ${texts.length} texts`, () => {
      const wrong = texts.filter((text) => JSON.stringify(read(text)) !== JSON.stringify(meaning))
      expect(wrong).toEqual([])
    })

  test('is one of 300', () => {
    expect(cases.flatMap(([, texts]) => texts).length).toBeGreaterThanOrEqual(300)
  })

  test('is read the same, however its accents are written down', () => {
    expect(read('Dừng'.normalize('NFD'))).toEqual({ kind: 'stop' })
    expect(read('Đúng'.normalize('NFD'))).toBeNull()
  })

  test('acts without invisible characters', () => {
    expect(read('STOP\u20e3')).toEqual({ kind: 'stop' })
    expect(read('\u200bst\u200dop\ufe0f\u2066')).toEqual({ kind: 'stop' })
  })

  test('of a megabyte is read at once', () => {
    expect(read(`Stop${' '.repeat(2000)}at the market, and turn left`)).toBeNull()
    expect(read(`${'dừng '.repeat(200_000)}`)).toBeNull()
    expect(read('a'.repeat(1_000_000))).toBeNull()
  })
})

test('an Admin’s words act, and words without a letter are refused', () => {
  const words = { ...defaultOptOutWords, en: { stop: ['Bye-bye'], start: [], complaint: [] } }
  expect(readerOf(words)('BYE BYE!')).toEqual({ kind: 'stop' })
  expect(readerOf(words)('stop')).toBeNull()
  expect(OptOutWords.safeParse(words).success).toBe(true)
  expect(OptOutWords.safeParse({ ...words, en: { ...words.en, stop: ['🛑'] } }).success).toBe(false)
  expect(OptOutWords.safeParse({ ...words, en: { ...words.en, stop: [] } }).success).toBe(false)
})
