import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { countDefaultThreads } from '../src/backends/platform.ts'
import { backendsBench } from './backends/bench-backends.ts'
import { decideBench } from './decide/bench-decide.ts'
import { encodersBench, languageModelsBench } from './families/bench-families.ts'
import { fullsizeBench } from './fullsize/bench-fullsize.ts'
import { growthBench } from './growth/bench-growth.ts'
import { imagesBench } from './images/bench-images.ts'
import { keptBench } from './kept/bench-kept.ts'
import { limitsBench } from './limits/bench-limits.ts'
import { describeEnvironment } from './measure/environment.ts'
import { peersBench } from './peers/bench-peers.ts'
import { queuePartsBench } from './queue/bench-queue-parts.ts'
import { queueBench } from './queue/bench-queue.ts'
import type { Bench } from './report/bench.ts'
import { readResults, renderReport, writeResults } from './report/write-report.ts'
import { serviceBench } from './service/bench-service.ts'

/*
 * Measures the library and writes bench/results/NAME.json and, from all results there, bench/RESULTS.md with its plots:
 *
 *     npm run bench -- NAME... [--layers 4] [--threads N] [--runs 7] [--states 512,2048] [--questions 1,16]
 *         [--sides 512] [--checkpoints qwen3-4b-int8] [--model models/decide-mini] [--out bench]
 *
 * Without a name it only makes the page again. Defaults are below; a bench whose runs take minutes does fewer of them.
 */

const BENCHES = {
  decide: decideBench,
  kept: keptBench,
  images: imagesBench,
  backends: backendsBench,
  peers: peersBench,
  encoders: encodersBench,
  'language-models': languageModelsBench,
  fullsize: fullsizeBench,
  growth: growthBench,
  limits: limitsBench,
  service: serviceBench,
  queue: queueBench,
  'queue-parts': queuePartsBench,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: 'models/decide-mini' },
    layers: { type: 'string', default: '4' },
    threads: { type: 'string', default: String(countDefaultThreads()) },
    runs: { type: 'string', default: '7' },
    states: { type: 'string', default: '512,2048' },
    questions: { type: 'string', default: '1,4,16,32' },
    checkpoints: { type: 'string', default: 'qwen3-4b-int8,z-image-int4' },
    sides: { type: 'string', default: '256,512' },
    out: { type: 'string', default: 'bench' },
  },
})
function count(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`--${name}: expected a whole number, got "${text}"`)
}
const list = (name: string, text: string) => text.split(',').map((part) => count(name, part))
const options = {
  model: values.model,
  layers: count('layers', values.layers),
  threads: count('threads', values.threads),
  runs: count('runs', values.runs),
  states: list('states', values.states),
  questions: list('questions', values.questions),
  checkpoints: values.checkpoints.split(','),
  sides: list('sides', values.sides),
}
const chosen = positionals.map((name) => {
  const bench = (BENCHES as Record<string, Bench<object>>)[name]
  if (bench === undefined) throw new Error(`expected ${Object.keys(BENCHES).join(', ')}; got "${name}"`)
  return { name, bench }
})
for (const { name, bench } of chosen) {
  const environment = await describeEnvironment(options.threads)
  const measured = await bench.measure(options)
  const before = await readResults(values.out, name)
  const results = before && bench.join ? bench.join(before, measured) : measured
  const after = { load_after: loadavg()[0] ?? Number.NaN }
  await writeResults(values.out, name, { environment: { ...environment, ...after }, ...results })
}
await renderReport(values.out, BENCHES as unknown as Record<string, Bench<never>>)
console.error(`written: ${values.out}/RESULTS.md`)
