import { stripVTControlCharacters } from 'node:util'
import { vi } from 'vitest'
import { runArguments } from '../main-command.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How a command line ended, and what it printed without colours, which are on where `CI` is set. */
export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command line in this process: what needs no process of its own is shown in a tenth of the time. */
export async function runTessera(...args: string[]): Promise<Finished> {
  const out: string[] = []
  const err: string[] = []
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
    // Help ends the process.
    vi.spyOn(process, 'exit').mockImplementation(() => undefined as never),
  ]
  // Commands listen until their process ends.
  const listeners = SIGNALS.map((name) => process.listeners(name))
  process.exitCode = undefined
  try {
    await runArguments(args)
    const [stdout, stderr] = [out, err].map((texts) => stripVTControlCharacters(texts.join('')))
    return { code: Number(process.exitCode ?? 0), stdout: stdout!, stderr: stderr! }
  } finally {
    process.exitCode = undefined
    for (const [index, name] of SIGNALS.entries())
      for (const listener of process.listeners(name))
        if (!listeners[index]!.includes(listener)) process.off(name, listener)
    for (const spy of spies) spy.mockRestore()
  }
}
