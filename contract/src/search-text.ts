/**
 * Normalizes a text for searching: ignores case and accents, and maps full-width and ornamental letters to ordinary
 * ones. The database does the same for lists, with its function `unaccent_lower`.
 */
export const normalize = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('đ', 'd')
