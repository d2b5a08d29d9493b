import { Refusal } from '../refusal.ts'

/** What the header `Prefer` of a request asks for (RFC 7240). What it has beside this is overlooked, as the RFC says. */
export interface Preferences {
  /** `respond-async`: the answer is to be a job. */
  readonly isAsync: boolean
  /** `keep-result=60`: how long the result of the job is to be kept, in milliseconds; undefined where it is not said. */
  readonly keepMs: number | undefined
}

/** A result is a picture that somebody has seen, or will not come for any more. */
const LONGEST_KEEP_SECONDS = 24 * 3600

/** @throws Refusal (400) for a time that is none */
export function readPreferences(headers: Headers): Preferences {
  const parts = (headers.get('prefer') ?? '').split(',').map((part): [string, string] => {
    const [name = '', value = ''] = part.split(';')[0]!.split('=')
    return [name.trim().toLowerCase(), value.trim().replaceAll('"', '')]
  })
  // Of one that is given twice the first counts, as the RFC says.
  const preferences = new Map(parts.reverse())
  return { isAsync: preferences.has('respond-async'), keepMs: readKeep(preferences.get('keep-result')) }
}

function readKeep(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined
  if (/^\d{1,5}$/.test(seconds) && Number(seconds) <= LONGEST_KEEP_SECONDS) return Number(seconds) * 1000
  throw new Refusal(
    400,
    'invalid_request',
    `Prefer: keep-result must be a whole number of seconds from 0 to ${LONGEST_KEEP_SECONDS}`,
  )
}
