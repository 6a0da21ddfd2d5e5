/** A person with a habit, by the last five digits of the number, answers every message. */
interface Habit {
  /** The answer. Empty if WhatsApp refuses the message, because this person may not be written to first. */
  says: string
  /** The answer quotes the message. */
  quotes?: boolean
  /** WhatsApp names the person by the LID alone. */
  hides?: boolean
  /** Nobody tells which LID the number has. */
  hasSecretLid?: boolean
}

const habits: Record<string, Habit> = {
  '55501': { says: 'Dừng' },
  '55502': { says: 'cho tôi dừng nhé' },
  '55503': { says: 'dung' },
  '55504': { says: 'Cảm ơn shop, giữ cho mình một hộp nhé!' },
  '55505': { says: 'Tôi sẽ báo cáo số này' },
  '55506': { says: 'STOP', hides: true },
  '55507': { says: 'STOP', hides: true, hasSecretLid: true, quotes: true },
  '55508': { says: 'STOP', hides: true, hasSecretLid: true },
  '55509': { says: '' },
}

/** Returns the habit of a number (digits or chat id), or undefined for nearly everybody. */
export const habitOf = (id: string): Habit | undefined =>
  /^\d+(@s\.whatsapp\.net)?$/.test(id) ? habits[id.split('@')[0]?.slice(-5) ?? ''] : undefined
