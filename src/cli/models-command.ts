import { defineCommand } from 'citty'
import colors from 'picocolors'
import type { ModelInfo } from '../engine/index.ts'
import { engineArguments, openEngine } from './engine-arguments.ts'
import { printResult, runCommand } from './run-command.ts'
import { readServed, servedArgument } from './served-models.ts'

export const modelsCommand = defineCommand({
  meta: { name: 'models', description: 'Show which model serves each name a request may give' },
  args: { json: { type: 'boolean', description: 'print JSON' }, ...engineArguments, ...servedArgument },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      await using engine = await openEngine(args, readServed(args.use))
      const models = await engine.models()
      printResult(args.json ?? false, models, () => models.map(formatModel).join('\n'))
    }),
})

function formatModel({ name, id, available, reason, nativeSizes }: ModelInfo): string {
  const sizes = nativeSizes ? colors.dim(`  draws ${nativeSizes.join(', ')}; other sizes are resampled from these`) : ''
  return `${colors.bold(name)}  ${available ? colors.green(id) : colors.red(reason)}${sizes}`
}
