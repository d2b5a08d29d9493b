import { InvalidRequestError } from '../errors/index.ts'

/** Says why a model cannot read the text of the question of that name. */
export function refuseQuestion(name: string, reason: string): never {
  throw new InvalidRequestError(`questions.${name}`, `its text ${reason}`, { loc: ['questions', name] })
}
