import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandDef, runCommand } from 'citty'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeTinyBundle } from '../../test/helpers/tiny-bundle.ts'
import { decideCommand } from './decide/decide-command.ts'
import { calibrateCommand } from './evaluate/calibrate-command.ts'
import { evalCommand } from './evaluate/eval-command.ts'

const NAMES = Array.from({ length: 30 }, (_, index) => `option ${index}`)
const QUESTIONS = { q: { type: 'choice', criteria: Object.fromEntries(NAMES.map((name) => [name, null])) } }

let folder: string
let model: string
let written = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-options-'))
  // Pairs of letters stand for options behind the 26th.
  model = await writeTinyBundle({
    merges: [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((one) => [`A ${one}`, `B ${one}`]),
  })
  await writeFile(join(folder, 'questions.json'), JSON.stringify(QUESTIONS))
  const rows = NAMES.map((name) => JSON.stringify({ state: name, labels: { q: name } }))
  await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'))
})
beforeEach(() => {
  written = ''
  const take = (text: string | Uint8Array) => {
    written += String(text)
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(take)
  vi.spyOn(process.stderr, 'write').mockImplementation(take)
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
  // Commands listen until their process ends.
  for (const name of ['SIGINT', 'SIGTERM']) process.removeAllListeners(name)
})
afterAll(async () => {
  for (const one of [folder, model]) await rm(one, { recursive: true })
})

describe('--max-options', () => {
  const data = () => ['--data', join(folder, 'rows.jsonl')]
  it.each([
    ['decide', decideCommand, () => ['-s', 'It broke.', '--json'], '"option 29"'],
    ['eval', evalCommand, () => [...data(), '--json'], '"n": 30'],
    ['calibrate', calibrateCommand, () => [join(folder, 'calibration.json'), ...data(), '--json'], '"rows": 30'],
  ])('lets %s ask choices of more options, which it says where there are too many', async (_, command, args, found) => {
    const run = (...more: string[]) =>
      runCommand(command as unknown as CommandDef, {
        rawArgs: [...args(), '-q', join(folder, 'questions.json'), '--use', model, '--backend', 'cpu', ...more],
      })
    await run()
    expect(process.exitCode).toBe(2)
    expect(written).toContain('a choice needs 2 to 26 options, got 30; maxOptions (--max-options) allows more')
    expect(written).not.toContain(found)
    process.exitCode = 0
    written = ''
    await run('--max-options', '30')
    expect(process.exitCode).toBe(0)
    expect(written).toContain(found)
    for (const [most, reason] of [
      ['many', '--max-options: '],
      ['1', 'maxOptions: '],
    ] as const) {
      written = ''
      await run('--max-options', most)
      expect(written).toContain(reason)
    }
  })
})
