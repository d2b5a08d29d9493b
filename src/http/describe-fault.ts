import { LateError } from '../errors/in-time.ts'
import { TesseraError } from '../errors/index.ts'
import { refusalWord } from '../redis/refusal-word.ts'

/** A chain of causes may loop. */
const MAX_CAUSES = 8

/** What a name or a code is made of. A cause may be anything: what is no such word could be content. */
const WORD = /^[\w.-]{1,100}$/

const FRAME = /^ +at /

/**
 * An error and what caused it, for the operator's log. Messages of other libraries are left out, as they may quote the
 * request; where they come from is told by their frames.
 */
export function describeFault(error: TesseraError): string {
  const lines = [error.stack ?? error.message]
  let cause = error.cause
  for (let depth = 0; cause !== undefined && depth < MAX_CAUSES; depth++) {
    lines.push(`caused by ${describeCause(cause)}`)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return lines.join('\n')
}

/** Shows a fault on stderr, below a line that says what failed. Where stderr is a full disk, or nobody reads it, the process goes on. */
export function showFault(head: string, error: TesseraError): void {
  const { stderr } = process
  // It stays: what goes wrong with a write is told a while after it, when others are on their way.
  if (!stderr.listeners('error').includes(ignore)) stderr.on('error', ignore)
  stderr.write(`${head}\n${describeFault(error)}\n`)
}

function ignore(): void {}

function describeCause(cause: unknown): string {
  if (TesseraError.isInstance(cause)) return cause.stack ?? cause.message
  if (!(cause instanceof Error)) return `a value of type ${typeof cause}`
  const { name, code } = cause as NodeJS.ErrnoException
  const title = [name, code].filter((word) => typeof word === 'string' && WORD.test(word)).join(' ')
  const reason = reasonOf(cause)
  return [(title || 'an error') + (reason && ` (${reason})`), ...framesOf(cause)].join('\n')
}

/** Why a store refuses, where it says so in words that are always the same: those of Redis, the sentences that SQLite has for its codes, and that it is late. */
function reasonOf(cause: Error): string {
  const { code, errstr } = cause as { readonly code?: unknown; readonly errstr?: unknown }
  if (cause instanceof LateError) return cause.message
  if (code === 'ERR_SQLITE_ERROR' && typeof errstr === 'string') return errstr
  return refusalWord(cause) ?? ''
}

/** The lines below the message, which may have lines that look like frames. */
function framesOf({ message, stack = '' }: Error): string[] {
  const start = stack.indexOf(message)
  return stack
    .slice(start < 0 ? 0 : start + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
}
