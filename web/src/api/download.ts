import type { EndpointName, EndpointNamed } from '@sendroom/contract'
import { type InputOf, request } from './client.ts'

type DownloadName = {
  [N in EndpointName]: EndpointNamed<N> extends { download: string } ? N : never
}[EndpointName]

/** Saves an endpoint's file under the name that the server gives, or else under `fileName`. */
export async function download<N extends DownloadName>(name: N, input: InputOf<N>, fileName: string) {
  const response = await request(name, input)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = nameIn(response.headers.get('content-disposition')) ?? fileName
  link.click()
  URL.revokeObjectURL(link.href)
}

function nameIn(disposition: string | null) {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (encoded) return decodeURIComponent(encoded)
  return /filename="([^"]+)"/i.exec(disposition ?? '')?.[1]
}
