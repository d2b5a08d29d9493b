import { readNumber } from './read-number.ts'

/** Name of a request to what serves it. */
export type Models = Readonly<Record<string, string>>

/** Arguments of every command that runs a model. */
export const engineArguments = {
  backend: {
    type: 'string',
    description: 'what computes: auto (the default), cpu, cuda, webgpu, wasm, coreml or dml',
    valueHint: 'name',
  },
  threads: {
    type: 'string',
    description: 'threads that one call computes with; default by the number of processors',
    valueHint: 'n',
  },
  use: {
    type: 'string',
    description: 'model that answers: a folder, a GGUF file or a downloaded hub id; default decide-mini',
    valueHint: 'path|id',
  },
} as const

/** For commands that go on for long. */
export const isolateArgument = {
  isolate: {
    type: 'boolean',
    description: 'run models in processes of their own, which give memory back and may crash alone',
  },
} as const

const calibrationArgument = {
  calibration: {
    type: 'string',
    description: 'file that tessera calibrate wrote for your questions',
    valueHint: 'file',
  },
} as const

/** For commands whose models may answer with letters, digits or yes and no. */
export const orderArgument = {
  'both-orders': {
    type: 'boolean',
    description: 'ask language models twice, with the options as given and reversed, and take the mean',
  },
} as const

/** For commands that take choices. */
export const maxOptionsArgument = {
  'max-options': {
    type: 'string',
    description: 'most options of a choice; default 26, language models take up to 255',
    valueHint: 'n',
  },
} as const

/** For commands that make decisions. */
export const decisionArguments = {
  ...engineArguments,
  ...calibrationArgument,
  ...orderArgument,
  ...maxOptionsArgument,
} as const

/** For commands that answer many clients. */
export const keepStatesArgument = {
  'keep-states': {
    type: 'string',
    description:
      'memory for states that were read, kept a minute for other questions of the same account; default none',
    valueHint: 'size',
  },
} as const

export interface EngineArguments {
  readonly backend?: string | undefined
  readonly threads?: string | undefined
  readonly workers?: string | undefined
  readonly isolate?: boolean | undefined
  readonly 'keep-states'?: string | undefined
  readonly use?: string | undefined
  readonly calibration?: string | undefined
  readonly 'both-orders'?: boolean | undefined
  readonly 'symbol-mass'?: boolean | undefined
  readonly 'max-options'?: string | undefined
}

/** What `--use` says for a command that asks for one model alone, by that model's name. */
export function useFor(name: string, { use }: EngineArguments): Models {
  return use === undefined ? {} : { [name]: use }
}

/** Most options of a choice, where the command line says so; whoever is given it checks it. */
export function readMaxOptions({ 'max-options': most }: Pick<EngineArguments, 'max-options'>) {
  return most === undefined ? {} : { maxOptions: readNumber('--max-options', most) }
}
