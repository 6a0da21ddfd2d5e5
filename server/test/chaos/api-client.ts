import { contract } from '@sendroom/contract'
import { HttpClient } from '../http-client.ts'
import type { JobAction } from './plan.ts'

/** Changes jobs over the API, as a user does. */
export class ApiClient {
  readonly #client: HttpClient
  readonly #includeUnknown: boolean

  /** `includeUnknown`: whether a retry also sends to recipients whose outcome is unknown. */
  constructor(url: string, token: string, includeUnknown: boolean) {
    this.#client = new HttpClient(url, token)
    this.#includeUnknown = includeUnknown
  }

  /** Returns the status of the answer. */
  async change(kind: JobAction['kind'], id: number): Promise<number | 'server is down'> {
    try {
      const { status } = await this.#call(kind, id)
      return status
    } catch (error) {
      // fetch throws these two.
      if (error instanceof TypeError || error instanceof DOMException) return 'server is down'
      throw error
    }
  }

  #call(kind: JobAction['kind'], id: number) {
    if (kind !== 'retry job') return this.#client.call(endpoints[kind], { params: { id } })
    const body = { includeUnknown: this.#includeUnknown }
    return this.#client.call(contract.jobs.retryFailed, { params: { id }, body })
  }
}

const endpoints = {
  'cancel job': contract.jobs.cancel,
  'restart job': contract.jobs.restart,
  'pause job': contract.jobs.pause,
  'resume job': contract.jobs.resume,
  'delete job': contract.jobs.remove,
}
