import type { CommandDef } from 'citty'
import { expect, it, vi } from 'vitest'
import { EXAMPLES } from './examples.ts'
import { mainCommand, subCommands } from './main-command.ts'
import { printUsage } from './run-command.ts'

const COMMANDS: Readonly<Record<string, CommandDef>> = subCommands as never

/** What `--help` prints of a command, or of one within it. */
async function helpOf(name: string, inner?: string): Promise<string> {
  const command = COMMANDS[name]!
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    if (inner === undefined) await printUsage(command, mainCommand)
    else await printUsage((await (command.subCommands as () => Promise<Record<string, CommandDef>>)())[inner]!, command)
    return String(write.mock.lastCall![0])
  } finally {
    write.mockRestore()
  }
}

it('are there for every command, each of options that it has', async () => {
  expect(Object.keys(EXAMPLES)).toEqual(['tessera-onnx', ...Object.keys(COMMANDS)])
  for (const command of Object.keys(COMMANDS)) {
    const [usage, examples] = (await helpOf(command)).split('EXAMPLES')
    expect(usage).toContain(`USAGE tessera-onnx ${command} `)
    expect(examples).toContain(`npx tessera-onnx ${command}`)
    for (const line of examples!.split('\n')) {
      // Options of a command within a command stand in its own help.
      const inner = / (?:keys|models) ([a-z]+)/.exec(line)?.[1]
      const text = inner === undefined ? usage! : await helpOf(command, inner)
      for (const [option] of line.matchAll(/(?<= )--?[a-z][\w-]*/g)) expect(text).toContain(option)
    }
  }
})
