import { defineCommand } from 'citty'
import colors from 'picocolors'
import { printResult, runCommand } from './run-command.ts'

export const pullCommand = defineCommand({
  meta: { name: 'pull', description: 'Download a model from the hub into its cache, where models are found by name' },
  args: {
    model: { type: 'positional', required: true, description: 'owner/name on the hub, such as Qwen/Qwen3-0.6B' },
    revision: { type: 'string', default: 'main', description: 'branch, tag or commit', valueHint: 'name' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, revision, json } }) => {
      // Loaded here, so that no other command reads the hub's client.
      const { pullModel } = await import('../models/pull/pull-model.ts')
      const folder = await pullModel({ id: model, revision, onProgress: showProgress })
      printResult(
        json ?? false,
        { model, revision, folder },
        () => `${colors.green('pulled')} ${model}\n${colors.dim(folder)}`,
      )
    }),
})

function showProgress({ done, total }: { done: number; total: number }): void {
  if (!process.stderr.isTTY) return
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2)
  const line = colors.dim(`downloading ${gigabytes(done)} of ${gigabytes(total)} GB`)
  process.stderr.write(done === total ? '\r\x1b[K' : `\r\x1b[K${line}`)
}
