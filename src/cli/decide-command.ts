import { defineCommand } from 'citty'
import colors from 'picocolors'
import type { DecisionRequestInput } from '../schemas/index.ts'
import { calibrationArgument, engineArguments, openEngine, useFor } from './engine-arguments.ts'
import { formatDecision } from './format-decision.ts'
import { readRequest } from './read-request.ts'
import { printResult, runCommand } from './run-command.ts'

export const decideCommand = defineCommand({
  meta: { name: 'decide', description: 'Answer typed questions about a text or JSON record with probabilities' },
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'file with the state (.json is read as JSON); stdin without one',
    },
    state: { type: 'string', alias: 's', description: 'the state itself', valueHint: 'text' },
    questions: {
      type: 'string',
      alias: 'q',
      required: true,
      description: 'questions as JSON, or a file with them',
      valueHint: 'json|file',
    },
    'min-confidence': {
      type: 'string',
      description: 'mark answers below this confidence (0 to 1) as undecided',
      valueHint: 'x',
    },
    json: { type: 'boolean', description: 'print the response as JSON' },
    ...engineArguments,
    ...calibrationArgument,
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const request = await readRequest({ ...args, minConfidence: args['min-confidence'] })
      await using engine = await openEngine(args, useFor('decide-latest', args))
      const response = await engine.decide(request as unknown as DecisionRequestInput, { onProgress: showProgress })
      printResult(args.json ?? false, response, () => formatDecision(response))
    }),
})

/** A line on stderr that is overwritten as the work goes on, only where somebody watches and it takes more than a moment. */
function showProgress({ done, total }: { done: number; total: number }): void {
  if (!process.stderr.isTTY || total < 8) return
  process.stderr.write(done === total ? '\r\x1b[K' : `\r${colors.dim(`reading ${Math.floor((done / total) * 100)} %`)}`)
}
