import { defineCommand } from 'citty'
import colors from 'picocolors'
import { engineArguments, openEngine } from './engine-arguments.ts'
import { printResult, runCommand } from './run-command.ts'

export const modelsCommand = defineCommand({
  meta: { name: 'models', description: 'Show which model serves each name a request may give' },
  args: { json: { type: 'boolean', description: 'print JSON' }, ...engineArguments },
  run: (context) => runCommand(context, async ({ args }) => {
    await using engine = await openEngine(args)
    const models = await engine.models()
    printResult(args.json ?? false, models, () => models.map(({ name, id, reason }) =>
      `${colors.bold(name)}  ${id === undefined ? colors.red(reason ?? 'not available') : colors.green(id)}`).join('\n'))
  }),
})
