import { defineCommand } from 'citty'
import colors from 'picocolors'
import type { ModelInfo } from '../../engine/index.ts'
import { describeCheckpoint } from '../../models/describe-checkpoint.ts'
import { type DownloadedModel, listDownloaded } from '../../models/find/downloaded-models.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { listGguf } from '../../models/gguf/choose-gguf.ts'
import { openModel } from '../../models/index.ts'
import { listUnpacked, type UnpackedModel } from '../../models/quantize/unpacked-models.ts'
import { engineArguments } from '../engine-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { printResult, runCommand } from '../run-command.ts'
import { readServed, servedArgument } from '../served-models.ts'

interface Downloaded extends DownloadedModel {
  readonly architecture?: string
}

export const listArguments = {
  json: { type: 'boolean', description: 'print JSON' },
  ...engineArguments,
  ...servedArgument,
} as const

export const listCommand = defineCommand({
  meta: { name: 'list', description: 'Which model serves each name a request may give, and what was downloaded' },
  args: listArguments,
  run: (context) =>
    runCommand(context, async ({ args }) => {
      await using engine = await openEngine(args, readServed(args.use))
      const served = await engine.models()
      const downloaded = await Promise.all((await listDownloaded(process.env)).map(name))
      const unpacked = await listUnpacked(process.env)
      printResult(args.json ?? false, { served, downloaded, unpacked }, () => format(served, downloaded, unpacked))
    }),
})

/** With what the checkpoint says it is, where enough of it is there. */
async function name(model: DownloadedModel): Promise<Downloaded> {
  if (model.folder === undefined) return model
  const gguf = await listGguf(model.folder)
  if (gguf.length > 0) return { ...model, architecture: `GGUF: ${gguf.toSorted().join(', ')}` }
  const description = await describeCheckpoint(openModel(model.folder)).catch(() => undefined)
  return { ...model, ...(description && { architecture: description.architecture }) }
}

function format(
  served: readonly ModelInfo[],
  downloaded: readonly Downloaded[],
  unpacked: readonly UnpackedModel[],
): string {
  const lines = downloaded.map(
    ({ id, bytes, architecture = 'not whole, or no model that can be read' }) =>
      `${colors.bold(id)}  ${formatBytes(bytes)}  ${colors.dim(architecture)}`,
  )
  return [
    ...served.map(formatServed),
    '',
    ...(lines.length > 0 ? ['downloaded:', ...lines] : ['nothing downloaded']),
    ...(unpacked.length > 0 ? ['unpacked into the cache, of:'] : []),
    ...unpacked.map(({ path, bytes }) => `${colors.bold(path)}  ${formatBytes(bytes)}`),
  ].join('\n')
}

function formatServed({ name, id, available, reason, nativeSizes }: ModelInfo): string {
  const sizes = nativeSizes ? colors.dim(`  draws ${nativeSizes.join(', ')}; other sizes are resampled from these`) : ''
  return `${colors.bold(name)}  ${available ? colors.green(id) : colors.red(reason)}${sizes}`
}
