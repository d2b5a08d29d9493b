import { createEngine, type Engine } from '../../src/engine/index.ts'
import { measureGrowth, measureMemory } from './measure-memory.ts'

// An app that makes many calls and prints its memory in bytes: with no engine, after warming one up, what the calls added, and
// with no engine again. Arguments: folder of a model, "worker", "process" or "inline", and what resident memory may grow by
// before the calls are made once more. Needs --expose-gc.
const [folder = '', place, mayGrow] = process.argv.slice(2)

const questions = {
  urgent: { type: 'noul', instructions: 'Is it urgent?' },
  team: { type: 'choice', criteria: { billing: 'Money', tech: 'Bugs' } },
} as const

/** One call of four is long, and one of eight is aborted in its middle. No two states are the same. */
async function call(engine: Engine, index: number): Promise<void> {
  const state = { id: index, text: `${index} is late. `.repeat(index % 4 === 0 ? 180 : 2) }
  if (index % 8 !== 4) return void (await engine.decide({ state, questions }))
  const controller = new AbortController()
  const { signal } = controller
  await engine
    .decide(
      { state, questions },
      {
        signal,
        onProgress: ({ done }) => {
          if (done === 1) controller.abort()
        },
      },
    )
    .then(
      () => {
        throw new Error('expected the call to be aborted')
      },
      (error: { code?: string }) => {
        if (error.code !== 'aborted') throw error
      },
    )
}

async function makeCalls(engine: Engine, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index += 4) {
    await Promise.all([call(engine, index), call(engine, index + 1), call(engine, index + 2), call(engine, index + 3)])
  }
}

const start = () =>
  createEngine({
    backend: 'cpu',
    threads: 1,
    models: { 'decide-latest': folder },
    worker: place === 'process' ? place : place === 'worker',
  })

async function useOnce(): Promise<void> {
  const engine = await start()
  await makeCalls(engine, 0, 8)
  await engine.dispose()
}

// What the first engine loads into the process, onnxruntime's library above all, stays by design and is no leak.
await useOnce()
const before = await measureMemory()
const engine = await start()
await makeCalls(engine, 0, 40)
const warm = await measureMemory()
const grown = await measureGrowth((round) => makeCalls(engine, 40 + round * 200, 200), Number(mayGrow))
await engine.dispose()
for (let round = 0; round < 4; round++) await useOnce()
const disposed = await measureMemory()
process.stdout.write(JSON.stringify({ before, warm, grown, disposed }))
