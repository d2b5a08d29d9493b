import { readFileSync } from 'node:fs'
import { inStages } from '../../src/backends/in-stages.ts'
import { createCpuBackend } from '../../src/backends/index.ts'
import { withSessions } from '../../src/backends/with-sessions.ts'
import { predictMemory } from '../../src/engine/memory/predict-memory.ts'
import { openImagePipeline } from '../../src/images/index.ts'
import { openModel } from '../../src/models/index.ts'

/*
 * Draws a picture of 512 x 512 along a control in a process of its own, with all parts open or with one at a time. Says how much memory that took
 * beside pages of mapped files and how much was predicted, in bytes.
 */

process.env['ORT_DISABLE_TELEMETRY'] = '1'
const SIDE = 512
const [folder, parts] = process.argv.slice(2) as [string, 'together' | 'apart']

const files = openModel(folder)
const { open, working, needed } = await predictMemory(files)
const before = measureOwn()
let most = before
// What a run holds its session keeps, so it is there still before the next one.
const look = () => void (most = Math.max(most, measureOwn()))

const plain = await createCpuBackend({ threads: 1 })
const cpu = withSessions(plain, { createSession: (model) => plain.createSession(model).finally(look) })
const pipeline = await openImagePipeline({ backend: parts === 'together' ? cpu : inStages(cpu, 0), files })
const data = Uint8Array.from({ length: 3 * SIDE * SIDE }, (_, i) => i % 251)
const picture = { width: SIDE, height: SIDE, channels: 3, data } as const
const request = { prompt: 'a fox', width: SIDE, height: SIDE, steps: 1, control: { picture, scale: 1 } }
const context = { turn: async () => look() }
await (await pipeline.prepare(request, context)).draw(1, context)
look()
const predicted = parts === 'together' ? open + working : needed
process.stdout.write(JSON.stringify({ predicted, measured: most - before }))

function measureOwn(): number {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
}
