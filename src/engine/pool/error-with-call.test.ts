import { expect, it } from 'vitest'
import { runFake, startFakeEngine } from '../test-support/engines.ts'

it.each([true, false])('an error of a job says which line made the call, with worker: %s', async (worker) => {
  await using engine = await startFakeEngine({ worker })
  const error = (await runFake(engine, { fail: 'throw' }).catch((error: unknown) => error)) as Error
  expect(error.message).not.toContain('error-with-call')
  const [first, ...lines] = error.stack!.split('\n')
  expect(first).toContain(error.message)
  expect(lines.filter((line) => line.includes('error-with-call.test.ts'))).toHaveLength(1)
  expect(lines.join('\n')).not.toContain('Error: call')
})
