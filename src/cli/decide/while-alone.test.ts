import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { whileAlone } from './while-alone.ts'

it('work ends on a file that another command took over while this one stood still', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-alone-'))
  const file = join(folder, 'answers.jsonl')
  await writeFile(file, '')
  const work = whileAlone(file, new AbortController().signal, async (signal) => {
    // As one that takes over does with a lock that was not renewed.
    await rm(`${file}.lock`, { recursive: true })
    await once(signal, 'abort', { signal: AbortSignal.timeout(20_000) })
    signal.throwIfAborted()
  })
  await expect(work).rejects.toThrow('--out: another command took the file over while this one stood still')
  await rm(folder, { recursive: true })
})
