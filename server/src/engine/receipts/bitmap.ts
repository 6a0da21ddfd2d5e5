/** A set of small integers, one bit each: the slots of the members who received or read a message. */
export type Bitmap = Buffer<ArrayBuffer>

export const emptyBitmap = (): Bitmap => Buffer.alloc(0)

export const hasSlot = (bitmap: Bitmap, slot: number) => (((bitmap[slot >> 3] ?? 0) >> (slot & 7)) & 1) === 1

/** Adds slots. Returns the new bitmap and how many of the slots were not in it. */
export function addSlots(bitmap: Bitmap, slots: readonly number[]): { bitmap: Bitmap; added: number } {
  const bytes = Math.max(bitmap.length, ...slots.map((slot) => (slot >> 3) + 1))
  const result = Buffer.alloc(bytes)
  bitmap.copy(result)
  let added = 0
  for (const slot of slots) {
    if (hasSlot(result, slot)) continue
    result[slot >> 3] = (result[slot >> 3] ?? 0) | (1 << (slot & 7))
    added++
  }
  return { bitmap: result, added }
}
