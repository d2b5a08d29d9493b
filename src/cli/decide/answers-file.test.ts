import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { closed } from '../../../test/helpers/plug-and-play.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { countAnswered } from './answers-file.ts'

vi.mock('node:fs/promises', async (original) =>
  (await import('../../../test/helpers/plug-and-play.ts')).withoutDisposal(original),
)

it('reads and closes a file of answers whose handle cannot be disposed', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'answers.jsonl')
  const line = `${JSON.stringify({ row: 0, asked: 'a' })}\n`
  await writeFile(file, `${line}{"row":1`)
  const rows = (async function* () {
    yield { asked: 'a' }
  })()
  expect(await countAnswered(file, rows)).toEqual({ rows: 1, failed: 0, passing: 0 })
  expect(await readFile(file, 'utf8')).toBe(line)
  expect(closed).toHaveBeenCalledOnce()
})

it.skipIf(process.platform === 'win32')(
  'has no answers in a pipe, and does not wait for any',
  async () => {
    const folder = temporaryFolder()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    onTestFinished(async () => {
      // Whoever waits for a writer goes on.
      closeSync(openSync(pipe, 'r+'))
    })
    const none = (async function* (): AsyncGenerator<{ asked: string }> {})()
    expect(await countAnswered(pipe, none)).toEqual({ rows: 0, failed: 0, passing: 0 })
  },
  10_000,
)
