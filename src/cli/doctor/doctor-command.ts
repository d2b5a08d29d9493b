import { defineCommand } from 'citty'
import colors from 'picocolors'
import { version } from '../../../package.json'
import {
  type BackendStatus,
  countUsableProcessors,
  detectBackends,
  observeTelemetry,
  type RuntimeTelemetry,
} from '../../backends/index.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { describeProducts, formatProducts, type ProductsReport } from '../products/format-products.ts'
import { probeProducts } from '../products/probe-products.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { checkNextConfig, type NextCheck } from './check-next-config.ts'
import { diagnoseModel, type ModelDiagnosis } from './diagnose-model.ts'

interface Diagnosis {
  readonly tessera: string
  readonly node: string
  readonly platform: string
  readonly processors: number
  readonly backends: readonly BackendStatus[]
  /** Whether onnxruntime reports to its maker from this process. */
  readonly runtimeTelemetry: RuntimeTelemetry
  /** What products cost on the CPU; absent where onnxruntime-node does not load. */
  readonly products?: ProductsReport
  /** With `--model`. */
  readonly model?: ModelDiagnosis
  /** What the Next.js app in this folder lacks; absent where there is none. */
  readonly next?: NextCheck
}

const TELEMETRY: Record<RuntimeTelemetry, string> = {
  off: 'off: onnxruntime reports nothing to its maker. An app that opens sessions of onnxruntime-node before its engine sets\nORT_DISABLE_TELEMETRY=1 itself, in its environment; backendInfo().runtimeTelemetry says what holds there',
  on: 'on: ORT_DISABLE_TELEMETRY in the environment lets onnxruntime report to its maker. → set it to 1',
  system: 'system: onnxruntime hands events to Windows, which records them only while a trace session collects',
}

export const doctorCommand = defineCommand({
  args: {
    model: { type: 'string', description: 'say whether this model fits into memory here', valueHint: 'folder|id' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const next = await checkNextConfig(process.cwd())
      const backends = await detectBackends()
      const computes = backends.some(({ name, available }) => name === 'cpu' && available)
      const model = args.model === undefined ? undefined : await diagnoseModel(args.model)
      // Only from here on a signal is listened to, so that one before ends the process, as nothing is half done.
      const signal = untilInterrupted()
      const products = computes ? await probeProducts({ signal }) : undefined
      const diagnosis: Diagnosis = {
        tessera: version,
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        processors: countUsableProcessors(),
        backends,
        // Afterwards, since it shows what became of the sessions that those opened.
        runtimeTelemetry: await observeTelemetry(),
        ...(products && { products: describeProducts(products) }),
        ...(model && { model }),
        ...(next && { next }),
      }
      signal.throwIfAborted()
      printResult(args.json ?? false, diagnosis, () => formatDiagnosis(diagnosis))
    }),
})

function formatDiagnosis(diagnosis: Diagnosis): string {
  const { tessera, node, platform, processors, backends, runtimeTelemetry, products, model, next } = diagnosis
  const head = `tessera ${tessera} · node ${node} · ${platform} · ${processors} processors`
  const lines = backends.map(({ name, available, reason, remedy, details }) => {
    const state = available ? colors.green('available') : colors.yellow('not available')
    const facts = Object.entries(details)
      .map(([key, value]) => `${key} ${value}`)
      .join(' · ')
    const why = available ? facts : [reason, remedy && `→ ${remedy}`].filter(Boolean).join('\n            ')
    return `${colors.bold(name.padEnd(8))} ${state}\n            ${colors.dim(why)}`
  })
  const telemetry = `${colors.bold('telemetry')} ${TELEMETRY[runtimeTelemetry]}`
  const more = [
    ...(products ? ['', formatProducts(products)] : []),
    ...(model ? ['', formatModel(model)] : []),
    ...(next ? ['', formatNext(next)] : []),
  ]
  return [head, '', ...lines, '', telemetry, ...more].join('\n')
}

function formatModel({
  id,
  memory: { open, needed, available, limit },
  fits,
  inStages,
  remedy,
}: ModelDiagnosis): string {
  const whole = inStages ? 'fits in stages' : 'fits'
  const state = fits ? colors.green(whole) : colors.yellow('does not fit')
  const facts = `about ${formatBytes(open)} when all of it is open, at least ${formatBytes(needed)} to work; ${limit} has ${formatBytes(available)} left`
  return `${colors.bold(id)} ${state}\n            ${colors.dim([facts, remedy && `→ ${remedy}`].filter(Boolean).join('\n            '))}`
}

function formatNext({ file, remedies }: NextCheck): string {
  const head = colors.bold('next')
  if (remedies.length === 0) return `${head} ${file} has what this package needs`
  return [`${head} ${file} lacks what this package needs:`, ...remedies.map((remedy) => `→ ${remedy}`)].join('\n')
}
