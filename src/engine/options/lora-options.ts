import * as z from 'zod'
import type { ChosenLora } from '../../models/lora/with-lora.ts'
import { amount, mapOf, mustBe, optionTable, readOption, text } from '../../options/index.ts'

/** An adapter (LoRA or LoKr) that a call is computed with. */
export interface LoraOption {
  /**
   * Path of its safetensors file or folder, which begins with `/`, `./`, `../` or a drive, or the hub id of a downloaded one.
   *
   * @example
   * ```ts
   * await decide(request, { lora: [{ path: './refunds' }] })
   * ```
   */
  readonly path: string
  /**
   * How strong it is, -100 to 100: 1, the default, as it was trained, 0 not at all.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'a fox' }, { lora: [{ path: './ink.safetensors', scale: 0.8 }] })
   * ```
   */
  readonly scale?: number | undefined
}

const MOST = 16
const SCALE = amount(-100, 100)

export const LORAS = z
  .array(
    optionTable('an adapter', { path: text('the path of an adapter'), scale: SCALE.default(1) }),
    mustBe('an array of adapters, each with its path'),
  )
  .max(MOST, { error: ({ input }) => `must be at most ${MOST} adapters, got ${(input as unknown[]).length}` })

/** Names of models to adapters. */
export const NAMED_LORAS = mapOf('an object of names of models to adapters', LORAS)

export type NamedLoras = Readonly<Record<string, readonly ChosenLora[]>>

/**
 * The adapters of a call: those of the name that it is answered under, then its own. One of scale 0 is as good as none.
 *
 * @throws InvalidRequestError naming what is wrong with its own
 */
export function chooseLoras(
  named: NamedLoras | undefined,
  model: string,
  own: readonly LoraOption[] | undefined,
): readonly ChosenLora[] {
  const ofName = named !== undefined && Object.hasOwn(named, model) ? named[model]! : []
  const given = own === undefined ? [] : readOption('options', z.object({ lora: LORAS }), { lora: own }).lora
  return [...ofName.map((lora) => ({ ...lora, of: model })), ...given].filter(({ scale }) => scale !== 0)
}
