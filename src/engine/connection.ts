import type { FromWorker, ToWorker } from './protocol.ts'

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

export type Connect = (handlers: ConnectionHandlers) => Connection
