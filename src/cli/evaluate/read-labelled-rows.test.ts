import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readLabelledRows } from './read-labelled-rows.ts'

it('labelled rows get questions that are given as JSON, as decide takes them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'labelled-'))
  const data = join(folder, 'rows.jsonl')
  await writeFile(data, '{"state":"x","labels":{"q":true}}\n')
  const questions = { q: { type: 'noul', instructions: 'Is it?' } }
  const read = await readLabelledRows({ data, questions: ` ${JSON.stringify(questions)}` })
  expect(read.rows).toEqual([{ state: 'x', labels: { q: true }, questions }])
  await expect(readLabelledRows({ data, questions: '{"q"' })).rejects.toThrow('--questions: expected JSON')
  await rm(folder, { recursive: true })
})
