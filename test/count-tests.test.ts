import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const work = temporaryFolder()

type State = 'passed' | 'failed' | 'skipped'

/** Adds up runs of one file, each given by the states of its tests. */
async function count(file: string, ...runs: State[][]) {
  const paths = runs.map((_, i) => join(work, `${i}.json`))
  for (const [i, states] of runs.entries()) {
    const numFailedTests = states.filter((state) => state === 'failed').length
    const assertionResults = states.map((status, test) => ({
      status,
      fullName: `test ${test}`,
      failureMessages: status === 'failed' ? ['expected 1 to be 2'] : [],
    }))
    const testResults = [{ name: join(ROOT, file), status: numFailedTests > 0 ? 'failed' : 'passed', assertionResults }]
    await writeFile(paths[i]!, JSON.stringify({ success: numFailedTests === 0, numFailedTests, testResults }))
  }
  const { status, stdout } = spawnSync(process.execPath, ['scripts/count-tests.mjs', ...paths], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return { code: status, lines: stdout.trimEnd().split('\n') }
}

it('a test that one of several runs took did run', async () => {
  const counted = await count('a.test.ts', ['passed', 'skipped', 'passed'], ['skipped', 'passed', 'passed'])
  expect(counted).toEqual({ code: 0, lines: ['3 passed, 0 failed, 0 skipped'] })
})

it('a failure in any run counts, and is named with its reason', async () => {
  expect(await count('a.test.ts', ['passed', 'failed'], ['passed', 'passed'])).toEqual({
    code: 1,
    lines: ['failed: a.test.ts: test 1', 'expected 1 to be 2', '1 passed, 1 failed, 0 skipped'],
  })
})

it('a skip fails unless the list allows it', async () => {
  const states: State[] = ['passed', 'skipped']
  expect(await count('test/next-app.test.ts', states)).toMatchObject({ code: 0 })
  expect(await count('a.test.ts', states)).toEqual({
    code: 1,
    lines: [expect.stringContaining('a.test.ts: test 1'), '1 passed, 0 failed, 1 skipped'],
  })
})
