import type { OptionLimits } from '../../schemas/index.ts'
import type { CallOptions } from './call-options.ts'

/** Registered, since server and engine may come from two files of the package. */
const CHECKED = Symbol.for('tessera.checked-request')

interface Check {
  readonly request: object
  readonly maxOptions: number
}

interface CheckedOptions extends CallOptions {
  readonly [CHECKED]?: Check
}

/**
 * Options of a call whose request was checked and copied already, and whose bytes the engine may keep: a service does so
 * before it has an engine answer. They hold for this very object, so that one that was made in its place on the way is
 * checked as any other.
 *
 * @param limits With which a decision was checked.
 */
export function asChecked<Options extends CallOptions>(
  request: object,
  options: Options,
  { maxOptions = 0 }: OptionLimits = {},
): Options {
  return { ...options, [CHECKED]: { request, maxOptions } satisfies Check }
}

/** @param limits What a decision may have here. */
export function isChecked<Request extends object>(
  body: object,
  options: CallOptions | undefined,
  { maxOptions = 0 }: OptionLimits = {},
): body is Request {
  const check = (options as CheckedOptions | undefined)?.[CHECKED]
  // Both may be undefined: a body that is missing is for the check to refuse.
  return check !== undefined && check.request === body && check.maxOptions <= maxOptions
}
