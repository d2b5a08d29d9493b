import { defineCommand } from 'citty'
import colors from 'picocolors'
import { InvalidRequestError } from '../errors/index.ts'
import { PIPELINE_PARTS, type PipelinePart } from '../models/pipeline-parts.ts'
import type { PullRetry } from '../models/pull/retry.ts'
import { DownloadReport } from './download-report.ts'
import { printResult, runCommand } from './run-command.ts'
import { untilInterrupted } from './until-interrupted.ts'

export const pullCommand = defineCommand({
  args: {
    model: {
      type: 'positional',
      required: true,
      description: 'owner/name on the hub (:Q4_K_M for one of its GGUF files), or a short name such as qwen3-0.6b',
    },
    revision: { type: 'string', default: 'main', description: 'branch, tag or commit', valueHint: 'name' },
    without: {
      type: 'string',
      description: 'parts of a pipeline to leave the weights of, with commas',
      valueHint: 'parts',
    },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, revision, without, json } }) => {
      // Loaded here, so that no other command reads the hub's client.
      const { pullModel } = await import('../models/pull/pull-model.ts')
      const report = new DownloadReport(process.stderr)
      const folder = await pullModel({
        id: model,
        revision,
        without: readParts(without),
        signal: untilInterrupted(),
        onProgress: (progress) => report.show(progress),
        onRetry: (retry) => report.say(describeRetry(retry)),
        onWait: () => report.say(`another process downloads ${model}; waiting for it`),
      })
      printResult(
        json ?? false,
        { model, revision, folder },
        () => `${colors.green('pulled')} ${model}\n${colors.dim(folder)}`,
      )
    }),
})

function readParts(text: string | undefined): PipelinePart[] {
  const known = PIPELINE_PARTS.map(({ folder }) => folder)
  return (text?.split(',') ?? []).map((name) => {
    const part = known.find((one) => one === name.trim())
    if (part !== undefined) return part
    throw new InvalidRequestError('--without', `expected parts among ${known.join(', ')}, got '${name}'`)
  })
}

function describeRetry({ file, reason, delay }: PullRetry): string {
  return `${file}: ${reason}; trying again in ${(delay / 1000).toFixed(0)} s`
}
