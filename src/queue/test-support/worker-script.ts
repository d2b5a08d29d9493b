// A worker in a process of its own: `URL KEYS LEASE_MS [hold]`. With `hold` it never ends a call.

import { runWorker } from '../index.ts'
import { createFakeEngine } from './fake-engine.ts'

const [, , connection = '', keys = '', leaseMs = '', mode] = process.argv
const fake = createFakeEngine()
if (mode === 'hold') fake.hold()
const { decide } = fake.engine
const told: typeof decide = (request, options) => {
  process.stdout.write('call\n')
  return decide(request, options)
}
await runWorker({ ...fake.engine, decide: told }, { connection, keys, leaseMs: Number(leaseMs) })
process.stdout.write('ready\n')
