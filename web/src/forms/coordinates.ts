/** A number with a sign, as in `-10.77`. */
const NUMBER = '([+-]?\\d{1,3}(?:\\.\\d+)?)'

/**
 * How Google Maps and others write a place into their links, the most exact first: the pin of a place, a question for
 * one, and the middle of the map.
 */
const IN_LINKS = [
  `!3d${NUMBER}!4d${NUMBER}`,
  `[?&](?:q|query|ll|destination|center|mlat)=(?:loc:)?${NUMBER}(?:,|&mlon=)${NUMBER}`,
  `/@${NUMBER},${NUMBER}`,
]

export type Coordinates = { latitude: string; longitude: string }

/** Finds the coordinates in a pasted text: two numbers, or the link of a map. Null if there are none. */
export function readCoordinates(text: string): Coordinates | null {
  const [, latitude, longitude] = isLink(text) ? findInLink(text) : (PAIR.exec(text.trim()) ?? [])
  return latitude && longitude ? { latitude, longitude } : null
}

export const isLink = (text: string) => /^\s*https?:/i.test(text)

/** With a decimal point in both, because a single number may have a decimal comma. */
const PAIR = /^\(?([+-]?\d{1,3}\.\d+)°?\s*[,;\s]\s*([+-]?\d{1,3}\.\d+)°?\)?$/

function findInLink(link: string): string[] {
  // A comma and other signs may be encoded.
  const decoded = decode(link)
  for (const pattern of IN_LINKS) {
    const found = new RegExp(pattern).exec(decoded)
    if (found) return found
  }
  return []
}

function decode(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
