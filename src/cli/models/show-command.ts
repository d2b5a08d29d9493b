import { defineCommand } from 'citty'
import { type CheckpointDescription, describeCheckpoint } from '../../models/describe-checkpoint.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { openModel, resolveModel } from '../../models/index.ts'
import { printResult, runCommand } from '../run-command.ts'

export const showCommand = defineCommand({
  meta: { name: 'show', description: 'What a model says it is: architecture, window, weights, licence' },
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
      const description = await describeCheckpoint(openModel(folder))
      printResult(json ?? false, { id, folder, ...description }, () => format(id, folder, description))
    }),
})

function format(id: string, folder: string, description: CheckpointDescription): string {
  const { kind, architecture, window, weights, parameters, bytes, licence } = description
  const rows = [
    ['model', id],
    ['for', kind],
    ['architecture', architecture],
    ['window', window === undefined ? 'not said' : `${window} tokens`],
    ['weights', `${weights}; ${(parameters / 1e6).toPrecision(3)} million numbers, ${formatBytes(bytes)}`],
    ['licence', licence ?? 'not said by its card'],
    ['folder', folder],
  ]
  return rows.map(([label, value]) => `${label!.padEnd(14)}${value}`).join('\n')
}
