/** As long as a server whose place another one has taken is asked for what it refuses. */
const LOOK_MS = 5000
/** Looks in a row without an answer after which connections are broken: half a minute. Scripts and slow disks hold a server up for less. */
const MOST_SILENT = 6

/** Of a connection of the client of Redis. */
export interface Watched {
  readonly isReady: boolean
  sendCommand(command: readonly string[]): Promise<unknown>
}

interface Watching extends Watched {
  on(event: 'connect' | 'ready' | 'error', listener: () => void): unknown
  once(event: 'end', listener: () => void): unknown
}

export interface Connections {
  /** What was made of the connection so far. */
  made(): Iterable<Watched>
  /** Breaks all of them, which open new ones then. */
  breakAll(): void
}

/**
 * Breaks connections that are of no use, so that they are opened anew to whichever server has its address: a server that
 * is told to follow another keeps its connections, and refuses everything that writes for ever; one whose machine is gone answers
 * nothing, and the system goes on for a quarter of an hour to send what was written.
 */
export function watchServer(client: Watching, { made, breakAll }: Connections): void {
  let isLooking = false
  let isOpening = false
  let silent = 0
  client.on('connect', () => (isOpening = true))
  for (const event of ['ready', 'error'] as const) client.on(event, () => (isOpening = false))
  const look = async () => {
    isLooking = true
    try {
      const { role } = (await client.sendCommand(['HELLO'])) as { readonly role?: string }
      // The server ends these, which is waited out as a restart is; topics are heard again then.
      if (role === 'replica') for (const each of [client, ...made()]) if (each.isReady) void quit(each)
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => {
    // Looks are counted, not time: a process that stood still has answers that it has not read yet.
    silent = isLooking || isOpening ? silent + 1 : 0
    if (silent >= MOST_SILENT) {
      silent = 0
      breakAll()
    } else if (!isLooking && client.isReady) void look().catch(() => {})
  }, LOOK_MS).unref()
  client.once('end', () => clearInterval(timer))
}

/** The client's own `quit` would not come back. */
async function quit(connection: Watched): Promise<void> {
  await connection.sendCommand(['QUIT']).catch(() => {})
}
