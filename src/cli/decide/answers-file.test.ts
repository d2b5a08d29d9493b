import type * as Fs from 'node:fs/promises'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { countAnswered } from './answers-file.ts'

const closed = vi.hoisted(() => vi.fn<() => void>())

/** Handles as Yarn's Plug'n'Play puts them in place of Node's. */
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof Fs>()
  const open = async (path: string) => {
    const handle = await fs.open(path)
    return {
      stat: handle.stat.bind(handle),
      createReadStream: handle.createReadStream.bind(handle),
      close: async () => {
        await handle.close()
        closed()
      },
    }
  }
  return { ...fs, open }
})

it('reads and closes a file of answers whose handle cannot be disposed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-'))
  const file = join(folder, 'answers.jsonl')
  const line = `${JSON.stringify({ row: 0, asked: 'a' })}\n`
  await writeFile(file, `${line}{"row":1`)
  const rows = (async function* () {
    yield { asked: 'a' }
  })()
  expect(await countAnswered(file, rows)).toBe(1)
  expect(await readFile(file, 'utf8')).toBe(line)
  expect(closed).toHaveBeenCalledOnce()
  await rm(folder, { recursive: true })
})
