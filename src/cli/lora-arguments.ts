import type { EngineOptions, LoraOption } from '../engine/index.ts'
import { InvalidRequestError } from '../errors/index.ts'
import { readPathWithScale } from './path-with-scale.ts'

/** For commands that ask one model. */
export const loraArgument = {
  lora: {
    type: 'string',
    description:
      'adapters (LoRA, LoKr) to compute with, separated by commas: file, folder or downloaded hub id, and a scale',
    valueHint: 'path[:scale],...',
  },
} as const

/** For the command that serves models by name. */
export const namedLoraArgument = {
  lora: {
    type: 'string',
    description: 'adapters that a name of a model always computes with, separated by commas',
    valueHint: 'name=path[:scale],...',
  },
} as const

/** Adapters as `--lora` lists them; the engine checks paths and scales. */
export function readLoras(text: string | undefined): LoraOption[] {
  return text === undefined ? [] : text.split(',').map(readPathWithScale)
}

/** The same by name of a model, which may have several. */
export function readNamedLoras(text: string | undefined): NonNullable<EngineOptions['loras']> {
  const loras: Record<string, LoraOption[]> = {}
  for (const part of text === undefined ? [] : text.split(',')) {
    const at = part.indexOf('=')
    if (at < 1)
      throw new InvalidRequestError('--lora', `must be name=path[:scale] for each adapter, got '${part.slice(0, 200)}'`)
    ;(loras[part.slice(0, at)] ??= []).push(readPathWithScale(part.slice(at + 1)))
  }
  return loras
}
