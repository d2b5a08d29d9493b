import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { bundleWorker } from '../engine/test-support/bundle-worker.ts'
import { createQueueEngine, type QueueEngine } from './index.ts'

const keys = `k1:${randomBytes(32).toString('base64')}`
const LEASE_MS = 1500
const BODY = { state: 'x', questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } } } as const

interface Program {
  readonly child: ChildProcess
  readonly printed: () => string
}

describe.skipIf(!hasRedis() || process.platform === 'win32')('a worker that is killed', () => {
  let redis: TestRedis
  let script: string
  let engine: QueueEngine
  const programs: Program[] = []
  beforeAll(async () => {
    redis = await startRedis()
    script = fileURLToPath(await bundleWorker('src/queue/test-support/worker-script.ts', 'queue-worker'))
    engine = createQueueEngine({ connection: redis.url, keys })
  })
  afterEach(() => {
    for (const { child } of programs.splice(0)) child.kill('SIGKILL')
  })
  afterAll(async () => {
    await engine?.dispose()
    await redis?.stop()
  })

  async function start(...mode: string[]): Promise<Program> {
    const args = [script, redis.url, keys, String(LEASE_MS), ...mode]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => (text += String(chunk)))
    const program = { child, printed: () => text }
    programs.push(program)
    await expect.poll(program.printed, { timeout: 20_000 }).toContain('ready')
    return program
  }

  async function untilCalled({ printed }: Program): Promise<void> {
    await expect.poll(printed, { timeout: 20_000 }).toContain('call')
  }

  it('leaves its call to another one, which answers it once', async () => {
    const first = await start('hold')
    const call = engine.decide(BODY)
    await untilCalled(first)
    first.child.kill('SIGKILL')
    const second = await start()
    expect(await call).toMatchObject({ model: 'fake' })
    expect(second.printed().match(/call/g)).toHaveLength(1)
  }, 60_000)

  it('and then another one, ends the call with an error, and later calls are answered', async () => {
    const call = engine.decide(BODY).catch((error: unknown) => error)
    for (const _ of [1, 2]) {
      const worker = await start('hold')
      await untilCalled(worker)
      worker.child.kill('SIGKILL')
    }
    const third = await start()
    expect(await call).toMatchObject({ code: 'worker_crashed', retryable: true })
    expect(third.printed()).not.toContain('call')
    expect(await engine.decide(BODY)).toMatchObject({ model: 'fake' })
  }, 60_000)
})
