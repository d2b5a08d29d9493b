export { ERROR_TABLE, type ErrorCode, type ErrorRow } from './error-table.ts'
export { errorFromJSON, toTesseraError } from './error-from-json.ts'
export {
  AbortedError,
  AuthenticationError,
  type BackoffSettings,
  InsufficientQuotaError,
  InvalidRequestError,
  type InvalidRequestSettings,
  OverloadedError,
  PermissionError,
  RateLimitError,
  StoreUnavailableError,
} from './request-errors.ts'
export {
  BackendUnavailableError,
  DownloadFailedError,
  EngineDisposedError,
  InsufficientMemoryError,
  InternalError,
  ModelFormatError,
  ModelNotFoundError,
  WorkerCrashedError,
} from './runtime-errors.ts'
export { type ErrorJson, type ErrorSettings, TesseraError } from './tessera-error.ts'
