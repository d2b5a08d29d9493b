import { defineCommand } from 'citty'
import colors from 'picocolors'
import { ownCalibrationSchema } from '../../decide/own-calibration.ts'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { type CalibrateOptions, calibrateTelling, type CalibrationResult } from '../../evaluate/calibrate.ts'
import { formatCalibration } from '../../evaluate/format-calibration.ts'
import { amount, readOption } from '../../options/index.ts'
import { engineArguments, maxOptionsArgument, orderArgument, useFor } from '../engine-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { forceArgument, requireReplaceable, writeOutput } from '../output-files.ts'
import { ProgressReport } from '../progress-report.ts'
import { readNumber } from '../read-number.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { labelledArguments, namingLines, readLabelledRows } from './read-labelled-rows.ts'
import { tellFailed, toFailedLines } from './tell-failed.ts'

export const calibrateCommand = defineCommand({
  args: {
    ...labelledArguments,
    out: { type: 'positional', required: true, description: 'file to write' },
    error: {
      type: 'string',
      default: '0.05',
      description: 'share of decided answers that may be wrong, for the thresholds',
      valueHint: 'x',
    },
    ...forceArgument,
    json: { type: 'boolean', description: 'print JSON' },
    ...engineArguments,
    ...orderArgument,
    ...maxOptionsArgument,
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const data = await readLabelledRows(args)
      await requireReplaceable('out', args.out, {
        inputs: [args.data, args.questions],
        force: args.force,
        isOwn: isCalibration,
      })
      const error = readOption('--error', amount(0, 1), readNumber('--error', args.error))
      const result = await fit(args, data, error)
      await writeOutput('out', args.out, `${JSON.stringify(result.calibration, null, 2)}\n`)
      tellFailed(result.failed, data.lines)
      const summary = { out: args.out, questions: result.questions, failed: toFailedLines(result.failed, data.lines) }
      printResult(
        args.json ?? false,
        summary,
        () => `${formatCalibration(result)}\n\n${colors.green('wrote')} ${args.out}`,
      )
    }),
})

async function fit(
  args: Parameters<typeof openEngine>[0],
  { rows, lines }: Awaited<ReturnType<typeof readLabelledRows>>,
  error: number,
): Promise<CalibrationResult> {
  await using engine = await openEngine(args, useFor(DEFAULT_MODELS.decide, args))
  const report = new ProgressReport()
  const options: CalibrateOptions = {
    error,
    signal: untilInterrupted(),
    onProgress: (progress) => report.show({ stage: 'row', ...progress }),
  }
  return await namingLines(lines, () =>
    calibrateTelling(engine, rows, options, (progress) => report.show({ stage: 'fit', ...progress })),
  )
}

function isCalibration(text: string): boolean {
  try {
    return ownCalibrationSchema.pick({ format: true }).safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
