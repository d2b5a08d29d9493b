import type { Backend } from '../backends/backend.ts'
import { UNOPENED } from '../backends/without-sessions.ts'
import type { SymbolOptions } from '../decide/decision-family.ts'
import { isImageBundle } from '../models/is-image-bundle.ts'
import type { ModelFiles } from '../models/model-files.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import { loadSharpCodec } from './load-sharp-codec.ts'
import { BASE_BYTES, type MemoryPrediction } from './memory-prediction.ts'
import { openTask } from './open-task.ts'

type GraphMemory = NonNullable<BuiltGraph['memory']>

/** Bytes in memory for each of a matrix that was expanded to float32, in blocks of 128 with sums and scales. */
const SHARES = { 8: 8.5 / 32, 4: 4.5 / 32 } as const

/**
 * Predicts what a model takes from its headers and graphs: nothing is opened, no weights are read.
 *
 * @throws ModelFormatError as opening it would
 */
export async function predictMemory(files: ModelFiles, symbols?: SymbolOptions): Promise<MemoryPrediction> {
  const sessions: GraphMemory[] = []
  const task = await openTask(files, weighing(sessions), loadSharpCodec, { symbols })
  const { workingMemory: working = 0, stageMemory = working } = task
  await task.dispose()
  const bytes = (share: number) => sessions.map(({ floats, rest }) => share * floats + rest)
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
