import { type ErrorSettings, TesseraError } from './tessera-error.ts'

/** A backend that was asked for cannot run here: `reason` says why, `remedy` what helps. */
export class BackendUnavailableError extends TesseraError {
  static readonly code = 'backend_unavailable'
  declare readonly code: 'backend_unavailable'
  /** Name of the backend that was asked for. */
  readonly backend: string
  /** Why it does not run here. */
  readonly reason: string
  /** What the user can do about it. */
  readonly remedy: string

  constructor(backend: string, reason: string, remedy: string, settings?: ErrorSettings) {
    super('backend_unavailable', `the backend '${backend}' is not available: ${reason}. ${remedy}`, settings)
    this.backend = backend
    this.reason = reason
    this.remedy = remedy
  }

  override details() {
    return { backend: this.backend, reason: this.reason, remedy: this.remedy }
  }
}

/** No model of that name is installed; the message lists the places tried. */
export class ModelNotFoundError extends TesseraError {
  static readonly code = 'model_not_found'
  declare readonly code: 'model_not_found'
  /** The model that was asked for, as the caller named it. */
  readonly model: string
  /** The places that were looked at. */
  readonly tried: readonly string[]
  /** Command that fetches the model, or in browsers the call that says where it is. */
  readonly command: string

  constructor(model: string, tried: readonly string[], command: string, settings?: ErrorSettings) {
    // Pages have no command line: there it is a call of the library.
    const verb = command.startsWith('createEngine(') ? 'Call' : 'Run'
    const message = `the model '${model}' was not found (tried ${tried.join(', ')}). ${verb}: ${command}`
    super('model_not_found', message, settings)
    this.model = model
    this.tried = tried
    this.command = command
  }

  override details() {
    return { model: this.model, tried: this.tried, command: this.command }
  }
}

/** A file of a model bundle is not what it should be. */
export class ModelFormatError extends TesseraError {
  static readonly code = 'model_format'
  declare readonly code: 'model_format'
  /** Path or URL of the file. */
  readonly file: string
  /** What should have been there. */
  readonly expected: string
  /** What was found. */
  readonly got: string

  constructor(file: string, expected: string, got: string, settings?: ErrorSettings) {
    super('model_format', `${file}: expected ${expected}, got ${got}`, settings)
    this.file = file
    this.expected = expected
    this.got = got
  }

  override details() {
    return { file: this.file, expected: this.expected, got: this.got }
  }
}

/** A model does not fit into the memory that is free here, or an allocation failed while it was opened or ran. */
export class InsufficientMemoryError extends TesseraError {
  static readonly code = 'insufficient_memory'
  declare readonly code: 'insufficient_memory'
  /** The memory that it needs and that there is, in words. */
  readonly reason: string
  /** What the user can do about it. */
  readonly remedy: string
  /** Bytes that the model needs at the least; absent where an allocation of unknown size failed. */
  declare readonly needed?: number
  /** Bytes that were free. */
  declare readonly available?: number

  constructor(
    reason: string,
    remedy: string,
    { needed, available, ...settings }: ErrorSettings & { readonly needed?: number; readonly available?: number } = {},
  ) {
    super('insufficient_memory', `${reason}. ${remedy}`, settings)
    this.reason = reason
    this.remedy = remedy
    if (needed !== undefined) this.needed = needed
    if (available !== undefined) this.available = available
  }

  override details() {
    return { reason: this.reason, remedy: this.remedy, needed: this.needed, available: this.available }
  }
}

/** A model could not be downloaded; what has arrived is kept for the next attempt. */
export class DownloadFailedError extends TesseraError {
  static readonly code = 'download_failed'
  declare readonly code: 'download_failed'
  /** The model that was to be downloaded. */
  readonly model: string
  /** What the network or the hub answered. */
  readonly reason: string

  constructor(model: string, reason: string, settings?: ErrorSettings) {
    super('download_failed', `${model} could not be downloaded: ${reason}`, settings)
    this.model = model
    this.reason = reason
  }

  override details() {
    return { model: this.model, reason: this.reason }
  }
}

/** The engine was disposed before the call, or while it waited or ran. */
export class EngineDisposedError extends TesseraError {
  static readonly code = 'engine_disposed'
  declare readonly code: 'engine_disposed'

  constructor(message = 'the engine was disposed; create a new one with createEngine()', settings?: ErrorSettings) {
    super('engine_disposed', message, settings)
  }
}

/** The worker, a thread or a process, ended during the call, for example for lack of memory. */
export class WorkerCrashedError extends TesseraError {
  static readonly code = 'worker_crashed'
  declare readonly code: 'worker_crashed'
  /** How it ended. */
  readonly reason: string

  constructor(reason: string, settings?: ErrorSettings) {
    const message = `the worker ended during the call: ${reason}. The next call starts a new one`
    super('worker_crashed', message, settings)
    this.reason = reason
  }

  override details() {
    return { reason: this.reason }
  }
}

/** A fault of the library itself, or of how it was installed, where the message says what helps; `cause` is what was thrown. */
export class InternalError extends TesseraError {
  static readonly code = 'internal_error'
  declare readonly code: 'internal_error'

  constructor(message = 'an internal fault of the library; see `cause`', settings?: ErrorSettings) {
    super('internal_error', message, settings)
  }
}
