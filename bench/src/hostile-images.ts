import { tiles } from '../../server/test/pictures.ts'
import { type Answer, listed, timed } from './hostile-answers.ts'
import type { Attack, Target } from './hostile-observe.ts'

const SECONDS = 15
const AT_ONCE = 4

/**
 * An attack of `hostile.ts`: four Members upload at once, again and again. Each image is small and decodes to many
 * pixels: 50 megapixels, which are refused at the header, then 25, which are decoded and too large to store.
 */
export async function imageAttack({ environment, take }: Target): Promise<Attack> {
  const { url } = environment.sendroom
  const tokens = take(AT_ONCE)
  const [tooMany, most] = [await tiles(7040, 7040), await tiles(5000, 5000)]

  const upload = (token: string, image: Buffer) => {
    const body = new FormData()
    body.append('textContent', 'Hello')
    body.append('imageFile', new Blob([new Uint8Array(image)]), 'picture.webp')
    const headers = { authorization: `Bearer ${token}` }
    return timed(fetch(`${url}/api/messages`, { method: 'POST', body, headers }))
  }

  const run = async () => {
    const end = performance.now() + SECONDS * 1000
    const attack = async (token: string) => {
      const answers: Answer[] = [await upload(token, tooMany)]
      while (performance.now() < end) answers.push(await upload(token, most))
      return answers
    }
    const answers = (await Promise.all(tokens.map(attack))).flat()
    const longest = Math.max(...answers.map(({ took }) => took)) / 1000
    return `${listed(answers)}, the longest after ${longest.toFixed(1)} s`
  }
  return { what: `${AT_ONCE} images at once`, seconds: SECONDS, run }
}
