import { runCommand as runCitty } from 'citty'
import { afterEach, expect, it, vi } from 'vitest'
import type * as backends from '../../backends/index.ts'
import type { probeProducts } from '../products/probe-products.ts'
import type { diagnoseModel } from './diagnose-model.ts'
import { doctorCommand } from './doctor-command.ts'

const steps = vi.hoisted(() => ({
  diagnoseModel: vi.fn<typeof diagnoseModel>(),
  probeProducts: vi.fn<typeof probeProducts>(),
}))
vi.mock('./diagnose-model.ts', () => ({ diagnoseModel: steps.diagnoseModel }))
vi.mock('../products/probe-products.ts', () => ({ probeProducts: steps.probeProducts }))
vi.mock('../../backends/index.ts', async (original) => ({
  ...(await original<typeof backends>()),
  detectBackends: async () => [{ name: 'cpu', available: true, details: {} }],
}))

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

it('heeds the first signal at each of its steps', async () => {
  const listeners = process.listenerCount('SIGINT')
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  // Nobody listens, so that the system ends it.
  const heard: number[] = []
  steps.diagnoseModel.mockImplementation(async () => {
    heard.push(process.listenerCount('SIGINT') - listeners)
    const memory = { open: 1, needed: 1, available: 2, limit: 'the machine' } as const
    return { id: 'a', folder: '/a', fits: true, inStages: false, memory }
  })
  // The signal comes when the last product was timed.
  steps.probeProducts.mockImplementation(async () => void process.emit('SIGINT', 'SIGINT'))
  await runCitty(doctorCommand, { rawArgs: ['--model', 'a'] })
  expect(heard).toEqual([0])
  expect(steps.probeProducts).toHaveBeenCalledOnce()
  expect(err.mock.calls.join('')).toMatch(/stopped by SIGINT\n$/)
  expect(out).not.toHaveBeenCalled()
  expect(process.exitCode).toBe(130)
})
