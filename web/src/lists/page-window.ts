/** Up to five page numbers, two on each side of the current page, shifted at the edges. */
export function pageWindow(currentPage: number, totalPages: number): number[] {
  const length = Math.min(5, totalPages)
  const first = Math.max(1, Math.min(currentPage - 2, totalPages - length + 1))
  return Array.from({ length }, (_, i) => first + i)
}
