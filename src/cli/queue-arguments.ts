import { InvalidRequestError } from '../errors/index.ts'

export const queuePlaintextArgument = {
  'queue-plaintext': {
    type: 'boolean',
    default: false,
    description: 'have the queue hold prompts, states and pictures readable; else TESSERA_QUEUE_KEYS seals them',
  },
} as const

/** Arguments about models, which are where the workers are. */
const OF_WORKERS = [
  'use',
  'backend',
  'threads',
  'workers',
  'isolate',
  'keep-states',
  'calibration',
  'both-orders',
  'preload',
  'lora',
] as const

export type ModelArguments = { readonly [Name in (typeof OF_WORKERS)[number]]?: unknown }

/** @throws InvalidRequestError for an argument that would be read by nobody */
export function refuseModelArguments(args: ModelArguments): void {
  const given = OF_WORKERS.find((name) => args[name] !== undefined && args[name] !== false)
  if (given === undefined) return
  throw new InvalidRequestError(`--${given}`, 'is for tessera worker where there is --queue: the models are there')
}
