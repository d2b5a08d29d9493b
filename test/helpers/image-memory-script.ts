import { createEngine, type Engine } from '../../src/engine/index.ts'
import { measureGrowth, measureMemory } from './measure-memory.ts'

// An app that makes many pictures and prints its memory in bytes, as memory-script.ts does for decisions. Arguments:
// folder of an image model, "worker" or "inline", and what resident memory may grow by. Needs --expose-gc.
const [folder = '', place, mayGrow] = process.argv.slice(2)

const SIZES = ['64x64', '160x96', '256x256', '64x128']

/** Every fifth picture is also edited, and every tenth is aborted in its middle. No two are the same. */
async function makePicture(engine: Engine, index: number): Promise<void> {
  const request = { prompt: `picture ${index}`, size: SIZES[index % SIZES.length]!, seed: index }
  if (index % 10 === 9) return abort(engine, request)
  const { data } = await engine.generateImage(request, { steps: 2 })
  if (index % 5 !== 2) return
  await engine.editImage({ prompt: `edit ${index}`, image: data[0]!.b64_json }, { steps: 2, seed: index })
}

async function abort(engine: Engine, request: Parameters<Engine['generateImage']>[0]): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const onProgress = ({ done }: { done: number }) => {
    if (done === 2) controller.abort()
  }
  await engine.generateImage(request, { steps: 4, signal, onProgress }).then(
    () => {
      throw new Error('expected the call to be aborted')
    },
    (error: { code?: string }) => {
      if (error.code !== 'aborted') throw error
    },
  )
}

async function makePictures(engine: Engine, from: number, count: number): Promise<void> {
  for (let index = from; index < from + count; index++) await makePicture(engine, index)
}

const start = () =>
  createEngine({
    backend: 'cpu',
    threads: 1,
    worker: place === 'worker',
    models: { 'alpha-image-turbo': folder, 'beta-klein-4b': folder },
  })

async function useOnce(): Promise<void> {
  const engine = await start()
  await makePictures(engine, 0, 8)
  await engine.dispose()
}

// What the first engine loads into the process, the libraries above all, stays by design and is no leak.
await useOnce()
const before = await measureMemory()
const engine = await start()
await makePictures(engine, 0, 40)
const warm = await measureMemory()
const grown = await measureGrowth((round) => makePictures(engine, 40 + round * 100, 100), Number(mayGrow))
await engine.dispose()
for (let round = 0; round < 4; round++) await useOnce()
const disposed = await measureMemory()
process.stdout.write(JSON.stringify({ before, warm, grown, disposed }))
