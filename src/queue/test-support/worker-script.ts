// A worker in a process of its own: `URL KEYS LEASE_MS [hold | slow]`. With `hold` it never ends a call, with `slow` each takes
// a second. The state POISON kills it.

import { setTimeout as sleep } from 'node:timers/promises'
import { runWorker } from '../index.ts'
import { createFakeEngine } from './fake-engine.ts'

const [, , connection = '', keys = '', leaseMs = '', mode] = process.argv
const fake = createFakeEngine()
if (mode === 'hold') fake.hold()
const { decide } = fake.engine
const told = (async (request: { readonly state: string }, options?: object) => {
  process.stdout.write('call\n')
  if (request.state === 'POISON') process.kill(process.pid, 'SIGKILL')
  if (mode === 'slow') await sleep(1000)
  return decide(request as never, options)
}) as typeof decide
await runWorker({ ...fake.engine, decide: told }, { connection, keys, leaseMs: Number(leaseMs) })
process.stdout.write('ready\n')
