import * as z from 'zod'
import {
  callback,
  flag,
  mustBe,
  oneOf,
  optionTable,
  readOption,
  readOptions,
  text,
  withMethods,
  withoutGaps,
} from '../../options/index.ts'
import type { CallKind } from '../jobs.ts'
import { LORAS } from '../options/lora-options.ts'
import type { CallOptions, LoadOptions } from './call-options.ts'
import type { EditImageCallOptions, ImageCallOptions } from './image-call-options.ts'

/** What is checked where it is read: here its name counts. */
const elsewhere = z.unknown().optional()

const SIGNAL = withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional()
const CALLBACK = callback().optional()

const CALL = {
  signal: SIGNAL,
  onProgress: CALLBACK,
  onTimings: CALLBACK,
  keepState: flag.optional(),
  client: z.string(mustBe('a text')).optional(),
  priority: oneOf(['normal', 'half']).optional(),
  whenBusy: oneOf(['wait', 'refuse']).optional(),
  lora: LORAS.optional(),
} satisfies Record<keyof CallOptions, unknown>

const PICTURES = {
  ...CALL,
  onPreview: CALLBACK,
  steps: elsewhere,
  guidance: elsewhere,
  negativePrompt: elsewhere,
  control: elsewhere,
} satisfies Record<keyof ImageCallOptions, unknown>

const EDIT = { ...PICTURES, seed: elsewhere, strength: elsewhere } satisfies Record<keyof EditImageCallOptions, unknown>
const LOAD = { signal: SIGNAL, onProgress: CALLBACK, keepOpen: flag.optional() } satisfies Record<
  keyof LoadOptions,
  unknown
>
const MANY = {
  signal: SIGNAL,
  client: CALL.client,
  priority: CALL.priority,
  keepState: CALL.keepState,
  lora: CALL.lora,
  concurrency: elsewhere,
  onResult: CALLBACK,
}

const NAME = text('the name of a model')

const TABLES = {
  decide: optionTable('a call of decide, whose request has state and questions', CALL),
  decideMany: optionTable('a call of decideMany', MANY),
  countTokens: optionTable('a call of countTokens, whose request has state and questions', CALL),
  generateImage: optionTable('a call of generateImage, whose request has the seed', PICTURES),
  editImage: optionTable('a call of editImage', EDIT),
  load: optionTable('a call of load', LOAD),
} satisfies Record<CallKind | 'decideMany', unknown>

/**
 * Checks what JavaScript lets through, before the call has a place in the queue.
 *
 * @returns options that nobody else has, since a call may wait before they are read
 * @throws InvalidRequestError naming the option
 */
export function checkCall<Options extends object>(kind: CallKind | 'decideMany', options: Options): Options {
  readOptions(TABLES[kind], typeof options === 'object' && options !== null ? withoutGaps(options) : options)
  const { lora } = options as CallOptions
  return { ...options, ...(lora && { lora: lora.map((each) => ({ ...each })) }) }
}

/** As `checkCall`, with the name of the model, which no request holds. */
export function checkLoad(name: string, options: LoadOptions): LoadOptions {
  readOption('name', NAME, name)
  return checkCall('load', options)
}
