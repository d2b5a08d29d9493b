import { ERROR_TABLE, type ErrorCode } from './error-table.ts'

const MARKER = Symbol.for('tessera.error')

/** An error as plain data, for crossing threads. Not a wire body: it has stacks. */
export interface ErrorJson {
  /** The `name` of the error. */
  readonly name: string
  /** Absent on a cause that is not an error of this library. */
  readonly code?: ErrorCode
  /** The sentence for people. */
  readonly message: string
  /** The fields that the class adds, such as `path` or `backend`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Lines of the stack where the error was made. */
  readonly stack?: string
  /** What the error was made of, in the same form. */
  readonly cause?: ErrorJson
}

/** What every error may be made with. */
export interface ErrorSettings {
  /** The error that was thrown underneath. */
  readonly cause?: unknown
}

interface ErrorClass<T> {
  readonly code?: ErrorCode
  readonly prototype: T
}

/** Base of every error this library throws on purpose. Messages hold paths, names and sizes, never request content. */
export abstract class TesseraError extends Error {
  /** What happened, one word of the table of errors, such as `invalid_request`. */
  readonly code: ErrorCode
  /** HTTP status. */
  readonly status: number
  /** `error_type` of the wire body. */
  readonly errorType: string
  /** True when the same call may succeed later unchanged. */
  readonly retryable: boolean
  /** Dotted path of the request field at fault, on errors that have one. */
  declare readonly path?: string

  constructor(code: ErrorCode, message: string, settings: ErrorSettings = {}) {
    super(message, settings.cause === undefined ? undefined : { cause: settings.cause })
    const row = ERROR_TABLE[code]
    // Not enumerable, like `name` on the built-in errors: loggers and test reporters print own enumerable fields.
    Object.defineProperty(this, 'name', { value: row.name, configurable: true, writable: true })
    Object.defineProperty(this, MARKER, { value: code })
    this.code = code
    this.status = row.status
    this.errorType = row.errorType
    this.retryable = row.retryable
  }

  /**
   * `instanceof` that also holds across two installed copies of the package. On a subclass it asks for that class:
   * `InvalidRequestError.isInstance(error)`.
   */
  static isInstance<T>(this: ErrorClass<T>, value: unknown): value is T {
    if (typeof value !== 'object' || value === null) return false
    // A class of an app has no code of its own that could say whose an error is.
    if (this.prototype !== TesseraError.prototype && !Object.hasOwn(this, 'code')) {
      return Object.prototype.isPrototypeOf.call(this.prototype, value)
    }
    const code = (value as { [MARKER]?: unknown })[MARKER]
    return this.code === undefined ? typeof code === 'string' : code === this.code
  }

  /** The fields that the class adds to its JSON. */
  details(): Readonly<Record<string, unknown>> {
    return {}
  }

  /** Plain data that `errorFromJSON` turns back into an error of the same class. */
  toJSON(): ErrorJson {
    return describeError(this, 0)
  }
}

// A chain of causes that loops must not hang the serialisation of an error.
const MAX_CAUSES = 8

function describeError(error: unknown, depth: number): ErrorJson {
  if (!(error instanceof Error)) return { name: 'Error', message: `a value of type ${typeof error} was thrown` }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    ...(error instanceof TesseraError ? { code: error.code, details: error.details() } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || depth === MAX_CAUSES ? {} : { cause: describeError(cause, depth + 1) }),
  }
}
