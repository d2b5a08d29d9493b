import { InvalidRequestError } from '../errors/index.ts'

/** @throws InvalidRequestError naming the flag, for what is no number; unlike for `Number`, an empty text is none */
export function readNumber(flag: string, text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw new InvalidRequestError(flag, `must be a number, got '${text}'`)
  return number
}

/** The same, of a flag that may be left out. */
export function readOptionalNumber(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(flag, text)
}
