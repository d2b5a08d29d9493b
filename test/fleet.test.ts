import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasRedis } from './helpers/redis-server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

it.skipIf(!hasRedis() || process.platform === 'win32')(
  'a fleet whose processes are killed answers everything, and charges it once',
  () => {
    const args = ['scripts/run-ts.mjs', 'test/stress/fleet/fleet.ts', '--seconds', '20', '--clients', '8']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as object
    expect({ stderr, ...report }).toMatchObject({ isAnswered: true, isLedgerEqual: true, wrong: [] })
    expect(status).toBe(0)
  },
  300_000,
)
