import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

const HOST = '127.0.0.1'

/** Where a PostgreSQL, or something in front of it, listens. `host` may be the folder of a Unix socket. */
type Place = { host: string; port: number }

/** A client's connection through the proxy. */
type Link = { client: Socket; server: Socket | null; firstBytes: Buffer }

/**
 * A TCP port that leads to a PostgreSQL. The proxy can be pointed to another PostgreSQL, can refuse connections, and
 * can lose all packets as a partitioned network does: connections stay open, but nothing arrives.
 */
export class DatabaseProxy {
  readonly host = HOST
  readonly port: number
  readonly #listener: Server
  readonly #links = new Set<Link>()
  #place: Place
  #isBlocked: (link: Link) => boolean = () => false

  private constructor(listener: Server, place: Place) {
    this.#listener = listener
    this.#place = place
    this.port = (listener.address() as AddressInfo).port // a TCP server has a port
    listener.on('connection', (client: Socket) => this.#accept(client))
  }

  static async open(place: Place): Promise<DatabaseProxy> {
    const listener = createServer({ noDelay: true })
    await once(listener.listen(0, HOST), 'listening')
    return new DatabaseProxy(listener, place)
  }

  /** Host and port, as in DATABASE_URL. */
  get address(): string {
    return `${this.host}:${this.port}`
  }

  /** Sends new connections there. Existing ones stay where they are, as after a change of a DNS entry. */
  pointTo(place: Place) {
    this.#place = place
  }

  /** Loses all packets, or those of the clients whose application name begins like this. */
  block(applicationName = '') {
    this.#isBlocked = (link) => belongsTo(link, applicationName)
    for (const link of this.#links) if (this.#isBlocked(link)) stopForwarding(link)
  }

  /** Forwards again. What was sent meanwhile arrives late, as TCP repeats it. */
  unblock() {
    this.#isBlocked = () => false
    for (const link of this.#links) this.#forward(link)
  }

  /** Ends all connections, or those of the clients whose application name begins like this. */
  cut(applicationName = '') {
    for (const link of this.#links) if (belongsTo(link, applicationName)) link.client.destroy()
  }

  /** Ends all connections and refuses new ones. */
  close() {
    this.#listener.close()
    this.cut()
  }

  /** Accepts connections again, at the same port. */
  async reopen() {
    await once(this.#listener.listen(this.port, this.host), 'listening')
  }

  /** Waits for the first packet, which has the client's application name. */
  #accept(client: Socket) {
    client.on('error', ignore)
    client.once('data', (firstBytes: Buffer) => {
      client.pause()
      const link: Link = { client, server: null, firstBytes }
      this.#links.add(link)
      client.once('close', () => {
        this.#links.delete(link)
        // A killed client's connection is reset, and a reset ends no pipe: its transaction would keep its locks.
        link.server?.destroy()
      })
      if (!this.#isBlocked(link)) this.#forward(link)
    })
  }

  #forward(link: Link) {
    stopForwarding(link) // a second pipe would forward everything twice
    const { client } = link
    const server = link.server ?? this.#connect(link)
    if (server.destroyed) client.destroy()
    else client.pipe(server).pipe(client)
  }

  #connect(link: Link): Socket {
    const { host, port } = this.#place
    const isSocket = host.startsWith('/')
    const server = connect(
      isSocket ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port, noDelay: true },
    )
    server.on('error', ignore)
    server.on('close', () => {
      if (!this.#isBlocked(link)) link.client.destroy()
    })
    server.write(link.firstBytes)
    link.server = server
    return server
  }
}

const belongsTo = ({ firstBytes }: Link, applicationName: string) =>
  applicationName === '' || firstBytes.includes(`application_name\0${applicationName}`)

function stopForwarding({ client, server }: Link) {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ]) {
    if (to) from?.unpipe(to)
    from?.pause()
  }
}

const ignore = () => {}
