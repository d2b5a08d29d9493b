import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server of Redis that breaks off between a command and its reply. */
export async function openCuttingProxy(port: number) {
  let wanted: string | undefined
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    let isCut = false
    client.on('data', (data) => {
      if (wanted !== undefined && data.includes(wanted)) {
        wanted = undefined
        isCut = true
      }
      server.write(data)
    })
    server.on('data', (data) => {
      if (isCut) client.destroy()
      else client.write(data)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** Carries the next command that has this in it to the server, and no reply back. */
    cutAfter: (text: string) => void (wanted = text),
    /** Whether that command has come. */
    get hasCut() {
      return wanted === undefined
    },
    close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}
