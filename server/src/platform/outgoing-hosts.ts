import type { Config } from '../config.ts'
import { StartupError } from '../startup-error.ts'

type HostConfig = Pick<
  Config,
  | 'outgoingHosts'
  | 'whapiBaseUrl'
  | 'whapiPartnerToken'
  | 'testProviderUrl'
  | 'publicUrl'
  | 'imageStore'
  | 'mail'
>

/** Whapi's partner API. Only this API knows when a channel's paid term ends. */
export const PARTNER_URL = 'https://manager.whapi.cloud'

/** Whether Sendroom may connect to this host, by OUTGOING_HOSTS: a name, an address, or `*.` and the end of a name. */
export function mayConnectTo(host: string, { outgoingHosts }: Pick<Config, 'outgoingHosts'>): boolean {
  const name = nameOf(host)
  return (
    outgoingHosts === null ||
    outgoingHosts
      .map(nameOf)
      .some((allowed) => (allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed))
  )
}

/** As URLs write an IPv6 address it is in brackets. A dot at the end of a name changes nothing. */
const nameOf = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

const hostIn = (url: string) => URL.parse(url)?.hostname ?? ''

/** The hosts that the variables of this process name, by their variable. Receivers of webhooks are in the database. */
export function configuredHosts(config: HostConfig): { variable: string; host: string }[] {
  const { imageStore, mail } = config
  const urls: [string, string | undefined][] = [
    ['WHAPI_BASE_URL', config.whapiBaseUrl],
    ['WHAPI_PARTNER_TOKEN', config.whapiPartnerToken && PARTNER_URL],
    ['TEST_PROVIDER_URL', config.testProviderUrl],
    ['PUBLIC_URL', config.publicUrl],
    ['SMTP_URL', mail?.url],
    ['IMAGE_STORE', imageStore.kind === 's3' ? bucketUrl(imageStore) : undefined],
  ]
  return urls.flatMap(([variable, url]) => (url ? [{ variable, host: hostIn(url) }] : []))
}

/** The address that the client of S3 uses, unless AWS's own variables name another. */
function bucketUrl({
  endpoint,
  bucket,
  region = 'us-east-1',
}: {
  endpoint?: string
  bucket: string
  region?: string
}): string {
  if (endpoint) return endpoint
  // A name with a dot would not fit Amazon's certificate, so the client puts it into the path.
  const host = bucket.includes('.') ? 's3' : `${bucket}.s3`
  return `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** A process does not start that would connect to a host which OUTGOING_HOSTS does not name. */
export function requireAllowedHosts(config: HostConfig): void {
  const refused = configuredHosts(config).filter(({ host }) => !mayConnectTo(host, config))
  if (refused.length === 0) return
  const named = refused.map(({ variable, host }) => `${host} (${variable})`).join(', ')
  throw new StartupError(`OUTGOING_HOSTS does not allow ${named}. Add these hosts, or unset the variables.`)
}
