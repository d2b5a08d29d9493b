import type { Engine, ModelInfo } from '../../engine/index.ts'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { InvalidRequestError } from '../../errors/index.ts'

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

/** Name to model, as `--use` says; what stands without a name answers decisions. */
export function readServed(use: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (use === undefined ? [] : use.split(',')).map((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [DEFAULT_MODELS.decide, part] : [part.slice(0, at), part.slice(at + 1)]
    }),
  )
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
