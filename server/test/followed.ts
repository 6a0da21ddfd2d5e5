import type { Change } from '@sendroom/contract/events'

/** Collects what a stream of server-sent events has sent so far. */
export class Followed {
  frames: Change[][] = []
  hasEnded = false
  #text = ''

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#read(source).catch(() => {})
  }

  get changes() {
    return this.frames.flat()
  }

  /** The comment lines that keep the connection alive. */
  get beats() {
    return this.#text.split('\n').filter((line) => line === ':').length
  }

  async #read(source: AsyncIterable<Uint8Array>) {
    try {
      for await (const chunk of source) {
        this.#text += Buffer.from(chunk).toString()
        this.frames = [...this.#text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
      }
    } finally {
      this.hasEnded = true
    }
  }
}
