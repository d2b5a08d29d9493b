import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { readLabelledRows } from './read-labelled-rows.ts'

it('labelled rows get questions that are given as JSON, as decide takes them', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'rows.jsonl')
  await writeFile(data, '{"state":"x","labels":{"q":true}}\n')
  const questions = { q: { type: 'noul', instructions: 'Is it?' } }
  const read = await readLabelledRows({ data, questions: ` ${JSON.stringify(questions)}` })
  expect(read.rows).toEqual([{ state: 'x', labels: { q: true }, questions }])
  await expect(readLabelledRows({ data, questions: '{"q"' })).rejects.toThrow('--questions: expected JSON')
})

it('a row without questions says that --questions has those of all rows', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'rows.jsonl')
  await writeFile(data, '{"state":"x","labels":{"q":true}}\n')
  await expect(readLabelledRows({ data })).rejects.toThrow(
    '--data, line 1.questions: is required: an object of questions; give those of all rows as --questions',
  )
  await expect(readLabelledRows({ data, questions: '{q:1}' })).rejects.toThrow('put it into a file and give its name')
})
