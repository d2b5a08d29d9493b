// One fresh process of the cold-start measurement: node cold-start.mjs LIBRARY MODEL THREADS
import { pathToFileURL } from 'node:url'

const [library, model, threads] = process.argv.slice(2)
const request = {
  model: 'decide-latest',
  state: {
    from: 'Ana',
    text: 'I was charged twice for invoice 4711, and nobody has answered me since Monday. Please fix it today.',
  },
  questions: {
    urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
    team: {
      type: 'choice',
      instructions: 'Who should handle it?',
      criteria: { billing: 'Payments', tech: 'Faults', sales: 'Offers' },
    },
  },
}

const started = performance.now()
const { createEngine } = await import(pathToFileURL(library).href)
const imported = performance.now()
const engine = await createEngine({ backend: 'cpu', threads: Number(threads), models: { 'decide-latest': model } })
const created = performance.now()
await engine.decide(request)
const first = performance.now()
await engine.decide(request)
const next = performance.now()
const resident = process.memoryUsage.rss() / 2 ** 20
await engine.dispose()
console.log(
  JSON.stringify({
    import_ms: imported - started,
    create_ms: created - imported,
    first_ms: first - created,
    next_ms: next - first,
    // Since the process started, node's own start included.
    total_ms: first,
    resident_mib: resident,
  }),
)
