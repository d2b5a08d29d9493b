import type { Backend } from '../../backends/backend.ts'
import { UNOPENED } from '../../backends/without-sessions.ts'
import type { SymbolOptions } from '../../decide/decision-family.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { isImageBundle } from '../../models/is-image-bundle.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { loadSharpCodec } from '../worker/load-sharp-codec.ts'
import { openTask } from '../worker/open-task.ts'
import { BASE_BYTES, type MemoryPrediction } from './memory-prediction.ts'

type GraphMemory = NonNullable<BuiltGraph['memory']>

/** Bytes in memory for each of a matrix that was expanded to float32, in blocks of 128 with sums and scales. */
const SHARES = { 8: 8.5 / 32, 4: 4.5 / 32 } as const

/**
 * What stays with the process for each byte of an int8 matrix that the runtime rewrites: its allocator keeps part of the
 * copies that are made on the way. Measured with onnxruntime-node 1.30 on glibc: 0.4 to 0.6 of 60 to 310 MB.
 */
const REWRITTEN_INT8 = 0.55

export interface PredictionOptions {
  readonly symbols?: SymbolOptions | undefined
  /** See `rewritesInt8`. @defaultValue false */
  readonly rewritesInt8?: boolean
}

/** Whether a processor's products of 8-bit integers would overflow, so that the runtime rewrites their weights when it opens them. */
export function rewritesInt8({ name, fastInt8 = false }: Pick<Backend, 'name' | 'fastInt8'>): boolean {
  return name === 'cpu' && process.arch === 'x64' && !fastInt8
}

/**
 * Predicts what a model takes from its headers and graphs: nothing is opened, no weights are read.
 *
 * @throws ModelFormatError as opening it would
 */
export async function predictMemory(
  files: ModelFiles,
  { symbols, rewritesInt8 = false }: PredictionOptions = {},
): Promise<MemoryPrediction> {
  const sessions: GraphMemory[] = []
  const task = await openTask(files, weighing(sessions), loadSharpCodec, { symbols })
  const { workingMemory: working = 0, stageMemory = working } = task
  await task.dispose()
  const rewritten = rewritesInt8 ? REWRITTEN_INT8 : 0
  const bytes = (share: number) =>
    sessions.map(({ floats, rest, int8 = 0 }) => share * floats + rest + rewritten * int8)
  const open = sum(bytes(1)) + BASE_BYTES
  // Sessions of pictures are run one after the other; those of decisions belong together.
  const least = (await isImageBundle(files)) ? (sizes: number[]) => Math.max(...sizes) : sum
  const needed = (share: number) => least(bytes(share)) + BASE_BYTES + stageMemory
  const quantized = { 8: needed(SHARES[8]), 4: needed(SHARES[4]) }
  const mapped = sum(sessions.map((session) => session.mapped ?? 0))
  return { open, mapped, working, needed: needed(1), ...(sessions.some(({ floats }) => floats > 0) && { quantized }) }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

/** A processor whose sessions are never opened, but weighed. */
function weighing(sessions: GraphMemory[]): Backend {
  return {
    name: 'cpu',
    attention: 'fused',
    precision: 'float32',
    movesHalf: true,
    createSession: async ({ memory }) => {
      sessions.push(memory ?? { floats: 0, rest: 0 })
      return UNOPENED
    },
    dispose: () => Promise.resolve(),
  }
}
