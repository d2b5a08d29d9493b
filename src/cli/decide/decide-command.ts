import { defineCommand } from 'citty'
import colors from 'picocolors'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { resolveModel } from '../../models/index.ts'
import { type DecisionRequestInput, parseDecisionRequest } from '../../schemas/index.ts'
import { unknownDecisionFields } from '../../schemas/unknown-fields.ts'
import { decisionArguments, type EngineArguments, readMaxOptions, useFor } from '../engine-arguments.ts'
import { loraArgument, readLoras } from '../lora-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { refuseInput, requireWritable } from '../output-files.ts'
import { printWarnings } from '../print-warnings.ts'
import { ProgressReport } from '../progress-report.ts'
import { readNamedText } from '../read-file.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { decideRows } from './decide-rows.ts'
import { formatDecision } from './format-decision.ts'
import { readCommon, readRequest, type RequestArguments } from './read-request.ts'

export const decideCommand = defineCommand({
  args: {
    file: {
      type: 'positional',
      required: false,
      description:
        'file with the state (.json is read as JSON), without --questions with a whole request; stdin where none is named',
    },
    state: { type: 'string', alias: 's', description: 'the state itself', valueHint: 'text' },
    questions: {
      type: 'string',
      alias: 'q',
      description: 'questions as JSON, or a file with them',
      valueHint: 'json|file',
    },
    each: {
      type: 'string',
      description:
        'file of rows, .csv or .jsonl, each answered: with --questions a row is a state, without them a whole request',
      valueHint: 'rows',
    },
    out: {
      type: 'string',
      alias: 'o',
      description: 'with --each: file for the answers, a line of JSON a row; goes on where an earlier run stopped',
      valueHint: 'file',
    },
    force: { type: 'boolean', alias: 'f', description: 'with --each: begin the file of the answers anew' },
    'min-confidence': {
      type: 'string',
      description: 'mark answers below this confidence (0 to 1) as undecided',
      valueHint: 'x',
    },
    json: { type: 'boolean', description: 'print the response, or why there is none, as JSON' },
    ...decisionArguments,
    ...loraArgument,
    'symbol-mass': {
      type: 'boolean',
      description: 'also say how probable the answers are among all that a language model could write',
    },
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const asked = { ...args, minConfidence: args['min-confidence'] }
      if (args.each !== undefined) return answerRows(args.each, asked)
      if (args.out !== undefined) throw new InvalidRequestError('--out', 'is for the answers of --each')
      const request = await readRequest(asked)
      await using engine = await openEngine(args, useFor(DEFAULT_MODELS.decide, args))
      const report = new ProgressReport()
      const response = await engine.decide(request as unknown as DecisionRequestInput, {
        lora: readLoras(args.lora),
        onProgress: (progress) => report.show(progress),
      })
      printWarnings(response)
      printResult(args.json ?? false, response, () => formatDecision(response))
    }),
})

type RowArguments = RequestArguments &
  EngineArguments & {
    readonly out?: string | undefined
    readonly force?: boolean | undefined
    readonly lora?: string | undefined
  }

/** What is wrong with all rows is told once, before a file of answers is full of it. */
async function checkForAll(common: object, args: RowArguments): Promise<void> {
  const body = { state: '', questions: { row: { type: 'noul', instructions: '?' } }, ...common }
  parseDecisionRequest(body, readMaxOptions(args))
  printWarnings({ warnings: unknownDecisionFields(body) })
  if (args.use !== undefined) await resolveModel(args.use)
}

async function answerRows(each: string, args: RowArguments): Promise<void> {
  if (args.state !== undefined || args.file !== undefined) {
    throw new InvalidRequestError('--each', 'takes its states from the rows; leave --state and the file out')
  }
  const { out, force = false, calibration } = args
  const common = await readCommon(args)
  if (out !== undefined) {
    await requireWritable('--out', out)
    await refuseInput('--out', out, [each, args.questions, calibration])
  }
  await using engine = await openEngine(args, useFor(DEFAULT_MODELS.decide, args))
  await checkForAll(common, args)
  const settings = [
    calibration === undefined ? undefined : await readNamedText(calibration, '--calibration'),
    args['both-orders'],
    args['symbol-mass'],
  ]
  const { rows, failed } = await decideRows(engine, {
    each,
    out,
    force,
    common,
    settings,
    lora: readLoras(args.lora),
    signal: untilInterrupted(),
  })
  process.stderr.write(`${colors.dim(`${rows} rows${failed > 0 ? `, ${failed} of them not answered` : ''}`)}\n`)
  if (failed > 0) process.exitCode = 1
}
