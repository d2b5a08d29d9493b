import { defineCommand } from 'citty'
import { TesseraError } from '../../errors/index.ts'
import { type CheckpointDescription, describeCheckpoint } from '../../models/describe-checkpoint.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { openModel, resolveModel } from '../../models/index.ts'
import { predictMemoryHere } from '../predict-memory-here.ts'
import { printResult, runCommand } from '../run-command.ts'

export const showCommand = defineCommand({
  meta: { name: 'show', description: 'What a model says it is: architecture, window, weights, memory, licence' },
  args: {
    model: {
      type: 'positional',
      required: true,
      description: 'a folder, a GGUF file, an embedded model or a downloaded hub id',
    },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, json } }) => {
      const { id, folder } = await resolveModel(model)
      const files = openModel(folder)
      const description = await describeCheckpoint(files)
      const memory = await weighOpen(files)
      printResult(json ?? false, { id, folder, ...description, memory }, () => format(id, folder, description, memory))
    }),
})

/** Bytes of the process, or why it can't be opened. */
type Memory = { readonly open: number; readonly needed: number } | { readonly reason: string }

async function weighOpen(files: ModelFiles): Promise<Memory> {
  try {
    const { open, needed } = await predictMemoryHere(files)
    return { open: Math.round(open), needed: Math.round(needed) }
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error
    return { reason: error.message }
  }
}

/** Tokens of the state that memory is predicted for. */
const USUAL_STATE = 1024

function formatMemory(memory: Memory, { kind, window = USUAL_STATE }: CheckpointDescription): string {
  if ('reason' in memory) return `cannot be opened: ${memory.reason}`
  // More than its window is never read at once.
  const tokens = Math.min(USUAL_STATE, window).toLocaleString('en')
  const work = kind === 'decisions' ? `reads a state of ${tokens} tokens` : 'makes a picture of 512 x 512'
  return `${formatBytes(memory.open)} open, ${formatBytes(memory.needed)} while it ${work}`
}

function format(id: string, folder: string, description: CheckpointDescription, memory: Memory): string {
  const { kind, architecture, window, weights, parameters, bytes, licence } = description
  const rows = [
    ['model', id],
    ['for', kind],
    ['architecture', architecture],
    ...(kind === 'decisions' ? [['window', window === undefined ? 'not said' : `${window} tokens`]] : []),
    ['weights', `${weights}; ${(parameters / 1e6).toPrecision(3)} million numbers, ${formatBytes(bytes)}`],
    ['memory', formatMemory(memory, description)],
    ['licence', licence ?? 'not said by its card'],
    ['folder', folder],
  ]
  return rows.map(([label, value]) => `${label!.padEnd(14)}${value}`).join('\n')
}
