import { InvalidRequestError } from '../errors/index.ts'

const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9 }

/**
 * Bytes of a size such as `256MB` or `1.5GB`, in powers of ten.
 *
 * @throws InvalidRequestError naming the flag
 */
export function readSize(flag: string, text: string): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(MB|GB)$/.exec(text) ?? []
  if (number === undefined || unit === undefined) {
    throw new InvalidRequestError(flag, `must be a size such as 256MB or 1.5GB, got '${text}'`)
  }
  return Math.round(Number(number) * UNITS[unit]!)
}
