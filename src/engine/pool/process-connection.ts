import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { decideTelemetry, isSingleExecutable, plugAndPlayFlags } from '../../backends/index.ts'
import { InternalError } from '../../errors/index.ts'
import { type Connect, hear } from './connection.ts'
import type { Broken, FromWorker } from './protocol.ts'
import { startAllowed } from './start-allowed.ts'
import { locateWorker } from './worker-file.ts'

/**
 * glibc keeps what large models leave in its heap; with these it hands every block of 64 KiB back as soon as it is free.
 * They are read once, when a process starts, so that a library can set them only for a process of its own.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' }

const IN_SINGLE_EXECUTABLE =
  "the app is a single executable, which no other process can be started from: start the engine without `worker: 'process'`, in whose worker thread it runs too"

/** Processes that run; ended when this one exits, by one listener however many there are. */
const children = new Set<ChildProcess>()

function endChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Runs jobs in a process of its own, whose memory goes back to the system with it. */
export function connectProcess(url?: URL): Connect {
  return ({ onMessage, onCrash }) => {
    const child = startChild(fileURLToPath(locateWorker(url)))
    if (children.size === 0) process.once('exit', endChildren)
    children.add(child)
    let open = true
    const exited = new Promise<void>((resolve) => {
      const end = (reason: string, cause?: unknown) => {
        resolve()
        children.delete(child)
        if (children.size === 0) process.off('exit', endChildren)
        if (!open) return
        open = false
        onCrash(reason, cause)
      }
      child.once('exit', (code, signal) => end(describeExit(code, signal)))
      // Without a process there is no exit either.
      child.once('error', (error) => child.pid === undefined && end('it could not be started, see `cause`', error))
    })
    const close = async () => {
      open = false
      child.ref()
      child.kill('SIGKILL')
      await exited
    }
    child.on('message', (message) => {
      if (open) hear(message as FromWorker | Broken, { onMessage, onCrash }, close)
    })
    return {
      // What cannot be delivered is lost with the process, which its exit tells of.
      post: (message) => void child.send(message, () => {}),
      setBusy(busy) {
        for (const held of [child, child.channel]) held?.[busy ? 'ref' : 'unref']()
      },
      close,
    }
  }
}

function startChild(file: string): ChildProcess {
  if (isSingleExecutable()) throw new InternalError(IN_SINGLE_EXECUTABLE)
  decideTelemetry(false)
  const { NODE_OPTIONS: _, ...environment } = process.env
  // As with worker threads, other flags and hooks of the app are not meant for it.
  return startAllowed(
    () =>
      fork(file, [], {
        serialization: 'advanced',
        execArgv: plugAndPlayFlags(),
        env: { ...ALLOCATOR, ...environment },
      }),
    "start the app with --allow-child-process, or the engine without `worker: 'process'`",
  )
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL') return 'its process was killed, as by a system that is out of memory'
  return signal === null ? `its process exited with code ${code}` : `its process was ended by ${signal}`
}
