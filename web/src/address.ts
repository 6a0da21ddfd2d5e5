/** The id in an address; null if it is missing or not a positive integer. */
export function idOf(params: { id?: string }): number | null {
  const id = Number(params.id)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
