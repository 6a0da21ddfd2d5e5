import type { ConnectionOptions } from 'node:tls'

/** The address of a server, and the credentials for it. `host` may be the folder of a Unix socket. */
export type DatabaseAddress = { host: string; port: number; user: string; password: string; database: string }

/** The places of a database, which are tried in turn. For an empty user or database, PGUSER and so on decide. */
export type DatabaseTarget = {
  places: { host: string; port: number; ssl: ConnectionOptions | false }[]
  user: string
  password: string
  database: string
}

export const targetOf = ({ host, port, ...rest }: DatabaseAddress): DatabaseTarget => ({
  places: [{ host, port, ssl: false }],
  ...rest,
})

const isThisMachine = (host: string) => /^(\/|127\.|::1$|localhost$)/.test(host)

/** The other machines to which a connection without TLS is tried. */
export function plainHosts(...targets: (DatabaseTarget | undefined)[]): string[] {
  const places = targets.flatMap((target) => target?.places ?? [])
  const plain = places.filter(({ host, ssl }) => ssl === false && !isThisMachine(host))
  return [...new Set(plain.map(({ host }) => host))]
}

const PARTS =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>.*))?$/
const PLACE = /^(?<host>\[[^\]]+\]|[^:]*)(?::(?<port>\d+))?$/

/**
 * Reads a connection URL as libpq does, with one host or several:
 * `postgres://user:password@a:5432,b:5432/name?target_session_attrs=read-write&sslmode=verify-full`.
 *
 * @throws Error with a message that continues "DATABASE_URL …". It never repeats the URL, which holds a password.
 */
export function parseDatabaseUrl(url: string): DatabaseTarget {
  const parts = PARTS.exec(url)?.groups
  if (!parts) throw new Error('must be a URL that begins with postgres:// or postgresql://')
  const options = new URLSearchParams(parts.query)
  const hosts = (parts.hosts || 'localhost').split(',').map(parsePlace)
  const tls = tlsModes(options)
  checkSessionAttributes(options)
  const [unknown] = options.keys()
  if (unknown !== undefined) throw new Error(`has an unknown option: ${unknown}. Remove the option`)
  return {
    places: hosts.flatMap((place) => tls.map((ssl) => ({ ...place, ssl }))),
    user: decode(parts.user),
    password: decode(parts.password),
    database: decode(parts.database),
  }
}

function parsePlace(text: string): { host: string; port: number } {
  const place = PLACE.exec(text)?.groups
  const port = Number(place?.port ?? 5432)
  if (!place || port < 1 || port > 65_535)
    throw new Error('has an invalid host. Write each host as host or host:port')
  return { host: decode(place.host).replace(/^\[|\]$/g, '') || 'localhost', port }
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a % that is not followed by two hexadecimal digits. Write a literal % as %25')
  }
}

/** Removes the option and returns its value. The remaining options are unknown. */
function take(options: URLSearchParams, name: string): string | null {
  const value = options.get(name)
  options.delete(name)
  return value
}

const ENCRYPTED: ConnectionOptions = { rejectUnauthorized: false }
const VERIFIED: ConnectionOptions = {}

/**
 * The TLS modes to try for each host.
 * https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-SSLMODE-STATEMENTS
 */
const modes = new Map<string, (ConnectionOptions | false)[]>([
  ['disable', [false]],
  ['allow', [false, ENCRYPTED]],
  ['prefer', [ENCRYPTED, false]],
  ['require', [ENCRYPTED]],
  // Stricter than libpq, which accepts a certificate with any host name here.
  ['verify-ca', [VERIFIED]],
  ['verify-full', [VERIFIED]],
  ['true', [VERIFIED]],
])

function tlsModes(options: URLSearchParams) {
  const ssl = take(options, 'ssl')
  const authority = take(options, 'sslrootcert')
  if (authority !== null && authority !== 'system')
    throw new Error(
      'has the unsupported option sslrootcert=FILE. Set NODE_EXTRA_CA_CERTS to the file instead',
    )
  const mode = take(options, 'sslmode') ?? ssl ?? (authority ? 'verify-full' : 'disable')
  const tries = modes.get(mode)
  if (!tries) throw new Error(`has an unknown sslmode: ${mode}. Use disable, prefer, require or verify-full`)
  return tries
}

/** A server that accepts no writes is always passed over, like one that is down. */
function checkSessionAttributes(options: URLSearchParams) {
  const wanted = take(options, 'target_session_attrs') ?? 'any'
  if (!['any', 'read-write', 'primary'].includes(wanted))
    throw new Error(`has target_session_attrs=${wanted}, but Sendroom needs to write. Use read-write`)
}
