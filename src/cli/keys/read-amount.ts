import { InvalidRequestError } from '../../errors/index.ts'
import { parseAmount } from '../../http/usage/money.ts'

/** An amount as people type it, in EUR. @throws InvalidRequestError naming the argument */
export function readAmount(argument: string, text: string): string {
  try {
    parseAmount(text, argument)
    return text
  } catch (cause) {
    throw new InvalidRequestError(argument, `must be EUR, such as 25 or 0.50, got '${text}'`, { cause })
  }
}
