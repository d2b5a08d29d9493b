import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCpuBackend } from '../../src/backends/index.ts'
import { openDecider } from '../../src/decide/index.ts'
import { type Manifest, manifestSchema } from '../../src/decide/manifest.ts'
import { measure } from '../../src/evaluate/metrics.ts'
import { openFolder } from '../../src/models/index.ts'
import { type Answered, answerRows, calibrated } from './answer-rows.ts'
import { answersPage } from './answers-page.ts'
import { cardReport, figures, samplesOf } from './card-report.ts'
import { fitCalibration } from './fit-calibration.ts'

/*
 * Evaluates a decision model on labelled rows and prints JSON:
 *
 *     npm run eval:decide -- --card decisions-dev.jsonl.xz [--order] > models/decide-mini/evaluation.json
 *     npm run eval:decide -- --answers models/decide-mini/ANSWERS.md
 *     npm run eval:decide -- --data rows.jsonl [--fit]
 *
 * --card gives every figure of a card: the developer set (in all, by length of the state, and with temperatures fitted on half of it),
 * everyday questions and probes. --answers writes a page of twenty answers that nobody picked. --data is for rows of any kind;
 * --fit fits the calibration on them and writes it into the bundle's tessera.json. For all: --model FOLDER, --every 10 for a
 * part of the rows, --threads 2, and --order, which also asks every choice with its options reversed and reports the share of answers that change.
 */

const { values } = parseArgs({
  options: {
    answers: { type: 'string' },
    card: { type: 'string' },
    data: { type: 'string' },
    every: { type: 'string', default: '1' },
    fit: { type: 'boolean', default: false },
    model: { type: 'string', default: 'models/decide-mini' },
    order: { type: 'boolean', default: false },
    threads: { type: 'string', default: '2' },
  },
})

const everydayFile = 'bench/eval-decide/everyday.jsonl'
const probeFolder = 'bench/eval-decide/probes'
const localFolder = join(probeFolder, 'local')
const manifestFile = join(values.model, 'tessera.json')
const manifest: Manifest = manifestSchema.parse(JSON.parse(await readFile(manifestFile, 'utf8')))
const settings = { every: Number(values.every), order: values.order }

async function jsonlFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name))
}

type Decider = Awaited<ReturnType<typeof openDecider>>

async function card(decider: Decider, file: string) {
  // Probes whose texts may not be passed on are there only where probes.py has made them.
  const probeFiles = [
    ...(await jsonlFiles(probeFolder)),
    ...(existsSync(localFolder) ? await jsonlFiles(localFolder) : []),
  ]
  const everyday = await answerRows(decider, [everydayFile], settings)
  const probes = await answerRows(decider, probeFiles, settings)
  const developer = await answerRows(decider, [file], settings)
  const questions = developer.answered.length
  return { questions, ...cardReport(developer, everyday.answered, probes.answered, manifest) }
}

async function writeAnswers(decider: Decider, file: string): Promise<void> {
  const { answered } = await answerRows(decider, [everydayFile, ...(await jsonlFiles(probeFolder))], settings)
  await writeFile(file, answersPage(calibrated(answered, manifest), `${manifest.name} ${manifest.version}`))
}

async function anyRows(decider: Decider, file: string) {
  const { answered, order } = await answerRows(decider, [file], settings)
  const calibration = values.fit ? await fit(answered) : manifest.calibration
  return {
    questions: answered.length,
    ...(values.order && { order: { asked: order.asked, changed: order.changed / order.asked } }),
    ...figures(calibrated(answered, { ...manifest, calibration })),
  }
}

async function fit(answered: readonly Answered[]) {
  const samples = samplesOf(answered)
  const fitted = { ...fitCalibration(samples), samples: samples.length, ece: 0 }
  const calibration = { ...fitted, ece: measure(calibrated(answered, { ...manifest, calibration: fitted })).ece }
  await writeFile(manifestFile, `${JSON.stringify({ ...manifest, calibration }, null, 2)}\n`)
  return calibration
}

if (!values.card && !values.answers && !values.data) {
  throw new Error('expected --card FILE (the developer set), --answers FILE to write, or --data FILE of labelled rows')
}
const backend = await createCpuBackend({ threads: Number(values.threads) })
const decider = await openDecider({ backend, files: openFolder(values.model) })
const started = performance.now()
const report = values.card ? await card(decider, values.card) : values.data && (await anyRows(decider, values.data))
if (values.answers) await writeAnswers(decider, values.answers)
await decider.dispose()
await backend.dispose()
if (report) {
  const seconds = Math.round((performance.now() - started) / 1000)
  const short = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
  console.log(JSON.stringify({ model: manifest.name, version: manifest.version, seconds, ...report }, short, 2))
}
