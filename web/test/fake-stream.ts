import type { Change } from '@sendroom/contract/events'

/** The server's end of an event stream. */
export class FakeStream {
  readonly response: Response
  isCancelled = false
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.isCancelled = true
      },
    })
    this.response = new Response(body)
    this.write('retry: 1000\n\n')
  }

  write = (text: string) => this.#controller?.enqueue(new TextEncoder().encode(text))
  notify = (...changes: Change[]) => this.write(`data: ${JSON.stringify(changes)}\n\n`)
  end = () => this.#controller?.close()
}
