import { defineCommand } from 'citty'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { compareEvaluations } from '../../evaluate/compare.ts'
import type { EvaluateOptions } from '../../evaluate/evaluate-options.ts'
import { evaluate, type Evaluation } from '../../evaluate/evaluate.ts'
import { formatEvaluation, points } from '../../evaluate/format-evaluation.ts'
import { isReport, renderReport } from '../../evaluate/report-page.ts'
import { resolveModel } from '../../models/index.ts'
import { decisionArguments, type EngineArguments } from '../engine-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { forceArgument, requireReplaceable, writeOutput } from '../output-files.ts'
import { printWarnings } from '../print-warnings.ts'
import { ProgressReport } from '../progress-report.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { findCalibrated } from './find-calibrated.ts'
import { labelledArguments, namingLines, readLabelledRows } from './read-labelled-rows.ts'
import { tellFailed, toFailedLines } from './tell-failed.ts'

export const evalCommand = defineCommand({
  args: {
    ...labelledArguments,
    html: { type: 'string', description: 'also write a page with tables and charts', valueHint: 'file' },
    ...forceArgument,
    json: { type: 'boolean', description: 'print JSON' },
    ...decisionArguments,
    use: {
      type: 'string',
      description: 'models to measure, separated by commas: folders or downloaded hub ids; default decide-mini',
      valueHint: 'folder|id,...',
    },
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const data = await readLabelledRows(args)
      const models = args.use?.split(',').map((model) => model.trim())
      // What has been measured would be lost where a later model is not there, or the page cannot be written.
      for (const model of models ?? []) await resolveModel(model)
      if (args.html !== undefined)
        await requireReplaceable('--html', args.html, {
          inputs: [args.data, args.questions, args.calibration],
          force: args.force,
          isOwn: isReport,
        })
      const perModel = models === undefined ? [{ args, model: undefined }] : await shareCalibration(args, models)
      const measured: Evaluation[] = []
      const signal = untilInterrupted()
      for (const { args, model } of perModel) measured.push(await measureModel(args, model, data, signal))
      const evaluations = tellApart(measured, models ?? [])
      for (const { failed, model } of evaluations) tellFailed(failed, data.lines, model)
      printResult(args.json ?? false, toDocuments(evaluations, data.lines), () => formatAll(evaluations))
      if (args.html !== undefined) await writeOutput('--html', args.html, renderReport(evaluations))
    }),
})

/** The arguments for each model: a calibration is given to those that it is for, and the others are measured as they were shipped. */
async function shareCalibration(args: EngineArguments, models: readonly string[]) {
  const calibrated = await findCalibrated(args, models)
  return models.map((model) => {
    if (args.calibration === undefined || calibrated.has(model)) return { args, model }
    printWarnings({
      warnings: [{ message: `${model} is measured as it was shipped: ${args.calibration} is for another model` }],
    })
    return { args: { ...args, calibration: undefined }, model }
  })
}

/** One model at a time, since two large ones may not fit into memory together. */
async function measureModel(
  args: EngineArguments,
  model: string | undefined,
  { rows, lines }: Awaited<ReturnType<typeof readLabelledRows>>,
  signal: AbortSignal,
): Promise<Evaluation> {
  await using engine = await openEngine(args, model === undefined ? {} : { [DEFAULT_MODELS.decide]: model })
  const report = new ProgressReport()
  const options: EvaluateOptions = {
    signal,
    onProgress: (progress) => report.show({ stage: 'row', ...progress }),
  }
  return await namingLines(lines, () => evaluate(engine, rows, options))
}

/** Models of one name, such as a copy in fewer bits and what it is of, are told with what `--use` calls them. */
function tellApart(evaluations: readonly Evaluation[], models: readonly string[]): readonly Evaluation[] {
  return evaluations.map((evaluation, index) => {
    const { model } = evaluation
    const isAlone = evaluations.filter((other) => other.model === model).length === 1
    return isAlone || models[index] === model ? evaluation : { ...evaluation, model: `${model} (${models[index]})` }
  })
}

/** Every evaluation but the first with what the first has right more or less often than it. */
function toDocuments(evaluations: readonly Evaluation[], lines: readonly number[]) {
  const [first] = evaluations
  return evaluations.map((evaluation, index) => ({
    ...evaluation,
    failed: toFailedLines(evaluation.failed, lines),
    ...(index > 0 && { comparison: compareEvaluations(first!, evaluation) }),
  }))
}

function formatAll(evaluations: readonly Evaluation[]): string {
  const [first, ...others] = evaluations
  const comparisons = others.map((other) => {
    const { onlyFirst, onlySecond, difference, margin } = compareEvaluations(first!, other)
    const more = `${first!.model} answers ${points(Math.abs(difference))} ${difference < 0 ? 'fewer' : 'more'} of the questions right than ${other.model}`
    return `${more} (± ${points(margin)}): ${onlyFirst} that only it has right, ${onlySecond} that only the other has`
  })
  return [...evaluations.map(formatEvaluation), ...comparisons].join('\n\n')
}
