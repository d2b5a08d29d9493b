import type { Backend } from '../backends/backend.ts'
import { UNOPENED } from '../backends/without-sessions.ts'
import type { SymbolOptions } from '../decide/decision-family.ts'
import type { ModelFiles } from '../models/model-files.ts'
import { loadSharpCodec } from './load-sharp-codec.ts'
import type { MemoryPrediction } from './memory-prediction.ts'
import { openTask } from './open-task.ts'

/** Tokenizer, graphs and what the runtime needs for itself. */
const BASE = 40e6

/** Bytes in memory for each of a matrix that was expanded to float32, in blocks of 128 with sums and scales. */
const SHARES = { 8: 8.5 / 32, 4: 4.5 / 32 } as const

/**
 * Predicts what a model takes from its headers and graphs: nothing is opened, no weights are read.
 *
 * @throws ModelFormatError as opening it would
 */
export async function predictMemory(files: ModelFiles, symbols?: SymbolOptions): Promise<MemoryPrediction> {
  let floats = 0
  let rest = 0
  const task = await openTask(
    files,
    weighing(({ memory }) => {
      floats += memory?.floats ?? 0
      rest += memory?.rest ?? 0
    }),
    loadSharpCodec,
    symbols,
  )
  const { workingMemory = 0 } = task
  await task.dispose()
  const open = floats + rest + BASE
  const needed = (share: number) => share * floats + rest + BASE + workingMemory
  return {
    open,
    needed: needed(1),
    ...(floats > 0 && { quantized: { 8: needed(SHARES[8]), 4: needed(SHARES[4]) } }),
  }
}

/** A processor whose sessions are never opened. */
function weighing(weigh: (model: Parameters<Backend['createSession']>[0]) => void): Backend {
  return {
    name: 'cpu',
    attention: 'fused',
    precision: 'float32',
    movesHalf: true,
    createSession: async (model) => {
      weigh(model)
      return UNOPENED
    },
    dispose: () => Promise.resolve(),
  }
}
