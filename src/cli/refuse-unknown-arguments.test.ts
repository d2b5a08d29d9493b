import { defineCommand, runCommand } from 'citty'
import { expect, it } from 'vitest'
import { refuseMisplacedOptions, refuseUnknownArguments } from './refuse-unknown-arguments.ts'

const command = defineCommand({
  args: {
    file: { type: 'positional', required: false },
    state: { type: 'string', alias: 's' },
    'min-confidence': { type: 'string' },
    json: { type: 'boolean', alias: 'j' },
    'symbol-mass': { type: 'boolean', default: false },
  },
  run: (context) => refuseUnknownArguments(context),
})
const run = (...rawArgs: string[]) => runCommand(command, { rawArgs })

it.each([
  ['nothing', []],
  ['every form of what the command has', ['a.txt', '-s', 'x', '--min-confidence=1', '--no-json']],
  ['the other form of a name', ['--minConfidence', '1']],
  ['a value that looks like an option', ['--state=--bogus']],
  ['a switch that is given twice', ['--json', '--json']],
  ['the name of an option as the value of another', ['-s', '--state']],
  ['words behind --', ['--', '--bogus']],
  ['the switches for colours', ['--no-color']],
  ['what a switch may say', ['--json=true', '--symbol-mass=false']],
  ['switches in one word with an option', ['-js', 'x']],
  ['what looks like a switch with a value behind another option', ['-s', '--json=0']],
])('lets %s pass', async (_, args) => {
  await expect(run(...args)).resolves.toBeDefined()
})

it.each([
  ['--min-confidance', ['--min-confidance', '0.9']],
  ['--bogus', ['--bogus=1']],
  ['-x', ['-x']],
  ['--typo', ['--no-typo']],
  ['--state', ['-s', 'x', '--state', 'y']],
  ['--min-confidence', ['--minConfidence', '0.5', '--min-confidence=0.9']],
  ['arguments', ['a.txt', 'b.txt']],
  ['--json', ['--json=0']],
  ['--json', ['--json=']],
  ['--symbol-mass', ['--symbol-mass=no']],
  ['--symbol-mass', ['--symbolMass=off']],
  ['--no-state', ['--no-state']],
  ['--no-state', ['--no-s']],
  ['--no-min-confidence', ['--no-minConfidence']],
])('refuses %s', async (path, args) => {
  await expect(run(...args)).rejects.toMatchObject({ code: 'invalid_request', path })
})

const group = defineCommand({
  args: { store: { type: 'string' }, json: { type: 'boolean' } },
  setup: (context) => refuseMisplacedOptions(context),
  default: 'list',
  subCommands: { list: defineCommand({ run: () => 'listed' }), add: defineCommand({ run: () => 'added' }) },
})

it.each([[[]], [['--store', 'add']], [['--json']], [['add', '--json']], [['--no-color', 'add']], [['--', 'add']]])(
  'lets options stand where they are read: %j',
  async (rawArgs) => {
    await expect(runCommand(group, { rawArgs })).resolves.toBeDefined()
  },
)

it.each([
  ['--store', ['--store', 'x', 'add']],
  ['--store', ['--no-color', '--store=x', 'add']],
  ['--json', ['--json', 'list']],
  ['--bogus', ['--bogus', 'list']],
])('refuses %s before the name of a command: %j', async (path, rawArgs) => {
  await expect(runCommand(group, { rawArgs })).rejects.toMatchObject({ code: 'invalid_request', path })
})
