import { defineCommand } from 'citty'
import colors from 'picocolors'
import type { PullRetry } from '../models/pull/retry.ts'
import { DownloadReport } from './download-report.ts'
import { printResult, runCommand } from './run-command.ts'
import { untilInterrupted } from './until-interrupted.ts'

export const pullCommand = defineCommand({
  meta: { name: 'pull', description: 'Download a model from the hub into its cache, where models are found by name' },
  args: {
    model: {
      type: 'positional',
      required: true,
      description: 'owner/name on the hub, or a short name such as qwen3-0.6b (docs/models.md has them)',
    },
    revision: { type: 'string', default: 'main', description: 'branch, tag or commit', valueHint: 'name' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, revision, json } }) => {
      // Loaded here, so that no other command reads the hub's client.
      const { pullModel } = await import('../models/pull/pull-model.ts')
      const report = new DownloadReport(process.stderr)
      const folder = await pullModel({
        id: model,
        revision,
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

function describeRetry({ file, reason, delay }: PullRetry): string {
  return `${file}: ${reason}; trying again in ${(delay / 1000).toFixed(0)} s`
}
