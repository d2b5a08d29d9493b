import { defineCommand, runCommand } from 'citty'
import { expect, it } from 'vitest'
import { refuseUnknownArguments } from './refuse-unknown-arguments.ts'

const command = defineCommand({
  args: {
    file: { type: 'positional', required: false },
    state: { type: 'string', alias: 's' },
    'min-confidence': { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (context) => refuseUnknownArguments(context),
})
const run = (...rawArgs: string[]) => runCommand(command, { rawArgs })

it.each([
  ['nothing', []],
  [
    'every form of what the command has',
    ['a.txt', '-s', 'x', '--min-confidence=1', '--minConfidence', '1', '--no-json'],
  ],
  ['a value that looks like an option', ['--state=--bogus']],
  ['words behind --', ['--', '--bogus']],
  ['the switches for colours', ['--no-color']],
])('lets %s pass', async (_, args) => {
  await expect(run(...args)).resolves.toBeDefined()
})

it.each([
  ['--min-confidance', ['--min-confidance', '0.9']],
  ['--bogus', ['--bogus=1']],
  ['-x', ['-x']],
  ['--typo', ['--no-typo']],
  ['arguments', ['a.txt', 'b.txt']],
])('refuses %s', async (path, args) => {
  await expect(run(...args)).rejects.toMatchObject({ code: 'invalid_request', path })
})
