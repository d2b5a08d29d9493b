import { defineCommand } from 'citty'
import colors from 'picocolors'
import { ModelNotFoundError } from '../../errors/index.ts'
import { removeDownloaded } from '../../models/find/downloaded-models.ts'
import { isModelPath } from '../../models/find/is-model-path.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { removeUnpacked } from '../../models/quantize/unpacked-models.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'

export const removeCommand = defineCommand({
  meta: {
    name: 'rm',
    description:
      "Remove a downloaded model from the hub's cache, which other tools share, or what was unpacked of a path",
  },
  args: {
    model: { type: 'positional', required: true, description: 'owner/name, or the path of a model that was unpacked' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, json } }) => {
      if (isModelPath(model)) {
        const removed = await removeUnpacked(model, process.env)
        if (removed.length === 0)
          throw new ModelNotFoundError(model, ['the cache'], 'npx tessera-onnx models, for what is there')
        const bytes = removed.reduce((sum, unpacked) => sum + unpacked.bytes, 0)
        const text = () => `${colors.green('removed')} what was unpacked of ${model}, ${formatBytes(bytes)}`
        return printResult(json ?? false, { path: model, bytes }, text)
      }
      const onWait = () => void process.stderr.write(`another process downloads ${model}; waiting for it\n`)
      const { id, bytes } = await removeDownloaded(model, process.env, { signal: untilInterrupted(), onWait })
      printResult(json ?? false, { id, bytes }, () => `${colors.green('removed')} ${id}, ${formatBytes(bytes)}`)
    }),
})
