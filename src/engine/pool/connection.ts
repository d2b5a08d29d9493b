import type { Broken, FromWorker, ToWorker } from './protocol.ts'

/** The other end of an engine: a worker thread, or the same code inline. */
export interface Connection {
  /** @param moved Memory in the message that is gone from here afterwards, where the other end is another thread. */
  post(message: ToWorker, moved?: readonly ArrayBuffer[]): void
  /** Whether this end keeps the process alive. */
  setBusy(busy: boolean): void
  /** Stops everything there. No handler is called afterwards. */
  close(): Promise<void>
}

export interface ConnectionHandlers {
  onMessage(message: FromWorker): void
  /** The other end is gone for good, in a few words why. Called once. */
  onCrash(reason: string, cause?: unknown): void
}

/** Hands on what a worker says, and ends one that says that it is broken. */
export function hear(
  message: FromWorker | Broken,
  { onMessage, onCrash }: ConnectionHandlers,
  close: Connection['close'],
): void {
  if (message.type !== 'broken') return onMessage(message)
  void close()
  onCrash(message.reason)
}

export type Connect = (handlers: ConnectionHandlers) => Connection
