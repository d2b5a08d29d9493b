import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createBackend } from '../../src/backends/index.ts'
import { type EngineOptions, resolveOptions } from '../../src/engine/options/resolve-options.ts'
import { connectInline } from '../../src/engine/pool/inline-connection.ts'
import { connectWorker } from '../../src/engine/pool/worker-connection.ts'
import { startEngine } from '../../src/engine/start-engine.ts'
import { createTaskSource } from '../../src/engine/worker/task-source.ts'
import { TINY_MANIFEST, writeTinyBundle } from '../helpers/tiny-bundle.ts'
import { askQuietly } from './oracle.ts'
import { pick } from './pick.ts'
import { type Outcomes, runRound } from './run-round.ts'
import { createUnsteadySource } from './unsteady-source.ts'
import { Watchdog } from './watchdog.ts'

/*
 * Looks for calls that are never answered and for wrong answers: clients call, abort and end workers at random, on engines
 * with tiny budgets whose models open late or not at all, and that are disposed in the midst of it.
 *
 *     npm run stress [-- --minutes 10]
 *
 * Ends with 1 where something has not settled after two minutes, an answer is not the one of a quiet engine, or a call
 * fails without a reason.
 */

const LIMIT_MS = 120_000
const CLIENTS = 14
/** Of three models of 140 kB each, and one of 7 MB. */
const BUDGETS = [1, 200_000, 400_000, 1e9]

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, got '${values.minutes}'`)

function chooseOptions(models: Readonly<Record<string, string>>): EngineOptions & { worker: boolean } {
  const worker = Math.random() < 0.7
  return {
    backend: 'cpu',
    threads: 1,
    models,
    worker,
    workers: worker ? pick([1, 2]) : 1,
    keepAlive: pick([0, 5, 200, Number.POSITIVE_INFINITY]),
    memoryBudget: pick(BUDGETS),
    maxConcurrent: pick([1, 2, 4]),
    maxQueue: pick([0, 4, 64]),
  }
}

async function runRounds(models: Readonly<Record<string, string>>, watchdog: Watchdog): Promise<Outcomes> {
  const cases = await askQuietly(models)
  // From the source beside this one; scripts/run-ts.mjs bundles both.
  const worker = new URL('./stress-worker.js', import.meta.url)
  const end = performance.now() + minutes * 60_000
  const total: Outcomes = {}
  while (performance.now() < end) {
    const options = chooseOptions(models)
    const resolved = resolveOptions(options, {})
    const connect = options.worker ? connectWorker(worker) : connectInline(createUnsteadySource, createBackend)
    const starting = startEngine(resolved, connect, createTaskSource(resolved.settings))
    const engine = await watchdog.watch('the start of an engine', starting)
    const seconds = Math.min(2 + Math.random() * 13, (end - performance.now()) / 1000)
    const outcomes = await runRound({ engine, cases, watchdog, clients: CLIENTS, seconds, mayCrash: options.worker })
    const { models: _, ...shown } = options
    process.stdout.write(`${JSON.stringify({ ...shown, keepAlive: String(shown.keepAlive), ...outcomes })}\n`)
    for (const [outcome, count] of Object.entries(outcomes)) total[outcome] = (total[outcome] ?? 0) + count
    total['rounds'] = (total['rounds'] ?? 0) + 1
  }
  return total
}

const folders = await Promise.all(
  [1, 2, 3].map((seed) => writeTinyBundle({ seed, manifest: { ...TINY_MANIFEST, name: `tiny-${seed}` } })),
)
const watchdog = new Watchdog(LIMIT_MS)
try {
  const [first, second, third] = folders as [string, string, string]
  const total = await runRounds({ 'decide-latest': first, second, third }, watchdog)
  process.stdout.write(`${JSON.stringify({ minutes, ...total })}\n`)
} finally {
  watchdog.stop()
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
}
