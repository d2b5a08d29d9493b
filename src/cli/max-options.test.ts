import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { writeTinyBundle } from '../../test/helpers/tiny-bundle.ts'
import { runTessera } from './test-support/run-tessera.ts'

const NAMES = Array.from({ length: 30 }, (_, index) => `option ${index}`)
const QUESTIONS = { q: { type: 'choice', criteria: Object.fromEntries(NAMES.map((name) => [name, null])) } }

const folder = temporaryFolder()
let model: string
beforeAll(async () => {
  // Pairs of letters stand for options behind the 26th.
  model = await writeTinyBundle({
    merges: [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((one) => [`A ${one}`, `B ${one}`]),
  })
  await writeFile(join(folder, 'questions.json'), JSON.stringify(QUESTIONS))
  const rows = NAMES.map((name) => JSON.stringify({ state: name, labels: { q: name } }))
  await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'))
})
afterAll(async () => {
  for (const one of [folder, model]) await rm(one, { recursive: true })
})

describe('--max-options', () => {
  const data = () => ['--data', join(folder, 'rows.jsonl')]
  it.each([
    ['decide', () => ['-s', 'It broke.', '--json'], '"option 29"'],
    ['eval', () => [...data(), '--json'], '"n": 30'],
    ['calibrate', () => [join(folder, 'calibration.json'), ...data(), '--json'], '"rows": 30'],
  ])('lets %s ask choices of more options, which it says where there are too many', async (command, args, found) => {
    const run = (...more: string[]) =>
      runTessera(command, ...args(), '-q', join(folder, 'questions.json'), '--use', model, '--backend', 'cpu', ...more)
    const refused = await run()
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('a choice needs 2 to 26 options, got 30; maxOptions (--max-options) allows more')
    expect(refused.stdout).not.toContain(found)
    expect(await run('--max-options', '30')).toMatchObject({ code: 0, stdout: expect.stringContaining(found) })
    expect((await run('--max-options', 'many')).stderr).toContain('--max-options: ')
    expect((await run('--max-options', '1')).stderr).toContain('maxOptions: ')
  })
})
