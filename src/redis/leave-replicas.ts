/** As long as a server whose place another one has taken is asked for what it refuses. */
const LOOK_MS = 5000

/** Of a connection of the client of Redis. */
export interface Leaving {
  readonly isReady: boolean
  sendCommand(command: readonly string[]): Promise<unknown>
}

/**
 * Breaks connections to a server that has become a replica, so that they are opened anew to whichever server has its address: one
 * that is told to follow another keeps its connections, and refuses everything that writes for ever.
 *
 * @param made what was made of the connection so far
 */
export function leaveReplicas(
  client: Leaving & { once(event: 'end', listener: () => void): unknown },
  made: () => Iterable<Leaving>,
): void {
  let isLooking = false
  const look = async () => {
    if (isLooking || !client.isReady) return
    isLooking = true
    try {
      const { role } = (await client.sendCommand(['HELLO'])) as { readonly role?: string }
      // The server ends these, which is waited out as a restart is; topics are heard again then.
      if (role === 'replica') for (const each of [client, ...made()]) if (each.isReady) void quit(each)
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref()
  client.once('end', () => clearInterval(timer))
}

/** The client's own `quit` would not come back. */
async function quit(connection: Leaving): Promise<void> {
  await connection.sendCommand(['QUIT']).catch(() => {})
}
