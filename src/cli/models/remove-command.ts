import { defineCommand } from 'citty'
import colors from 'picocolors'
import { removeDownloaded } from '../../models/downloaded-models.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'

export const removeCommand = defineCommand({
  meta: { name: 'rm', description: "Remove a downloaded model from the hub's cache, which other tools share" },
  args: {
    model: { type: 'positional', required: true, description: 'owner/name' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, json } }) => {
      const onWait = () => void process.stderr.write(`another process downloads ${model}; waiting for it\n`)
      const { id, bytes } = await removeDownloaded(model, process.env, { signal: untilInterrupted(), onWait })
      printResult(json ?? false, { id, bytes }, () => `${colors.green('removed')} ${id}, ${formatBytes(bytes)}`)
    }),
})
