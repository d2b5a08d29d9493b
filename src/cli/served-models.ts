import type { Engine, ModelInfo } from '../engine/index.ts'
import { DEFAULT_MODELS } from '../engine/options/default-models.ts'
import { InvalidRequestError } from '../errors/index.ts'

const KINDS: Readonly<Record<string, ModelInfo['kind']>> = {
  [DEFAULT_MODELS.decide]: 'decisions',
  [DEFAULT_MODELS.generateImage]: 'images',
  [DEFAULT_MODELS.editImage]: 'images',
}

/** `--use` of commands that are about all names at once. */
export const servedArgument = {
  use: {
    type: 'string',
    description:
      'model that answers, or name=model for each name, separated by commas; a model is a folder or a downloaded hub id',
    valueHint: '[name=]folder|id,...',
  },
} as const

/**
 * Name to model, as `--use` says; what stands without a name answers decisions.
 *
 * @throws InvalidRequestError for a part without a name or model, and for a name that two models are given to
 */
export function readServed(use: string | undefined): Record<string, string> {
  const served = new Map<string, string>()
  for (const part of use === undefined ? [] : use.split(',')) {
    const at = part.indexOf('=')
    const name = at < 0 ? DEFAULT_MODELS.decide : part.slice(0, at).trim()
    const model = part.slice(at + 1).trim()
    if (name === '' || model === '') {
      const got = part.trim().slice(0, 200)
      throw new InvalidRequestError('--use', `must be model or name=model for each, separated by commas, got '${got}'`)
    }
    const other = served.get(name)
    if (other !== undefined) {
      const reason = `names ${name} twice, with ${other} and ${model}; give each name one model, as in name=model`
      throw new InvalidRequestError('--use', reason)
    }
    served.set(name, model)
  }
  return Object.fromEntries(served)
}

/** @throws InvalidRequestError naming the first model of `--use` that is not there, or is of another kind than its name says */
export async function requireServed(engine: Engine, served: Readonly<Record<string, string>>): Promise<void> {
  for (const { name, available, reason, kind } of await engine.models()) {
    const model = served[name]
    if (model === undefined) continue
    if (!available) throw new InvalidRequestError('--use', reason ?? `${model} is not available`)
    const wanted = KINDS[name] ?? kind
    if (kind !== wanted)
      throw new InvalidRequestError('--use', `${model} is a model for ${kind}, and ${name} is asked for ${wanted}`)
  }
}
