import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countDefaultThreads } from '../../src/backends/platform.ts'
import { type Manifest, manifestSchema } from '../../src/decide/manifest.ts'
import { measure } from '../../src/evaluate/metrics.ts'
import { answerInWorkers } from './answer-in-workers.ts'
import { type Answered, calibrated } from './answer-rows.ts'
import { answersPage } from './answers-page.ts'
import { cardReport, figures, samplesOf } from './card-report.ts'
import { cardTables } from './card-tables.ts'
import { fillMarks } from './fill-marks.ts'
import { fitCalibration } from './fit-calibration.ts'

/*
 * Evaluates a decision model on labelled rows and prints JSON:
 *
 *     npm run eval:decide -- --card decisions-dev.jsonl.xz [--fit] [--write] [--order]
 *     npm run eval:decide -- --answers models/decide-mini/ANSWERS.md
 *     npm run eval:decide -- --data rows.jsonl [--fit]
 *
 * --card gives every figure of a card: the developer set (in all, by length of the state, and with temperatures fitted on half of it),
 * everyday questions and probes. With --write it also goes into the model's evaluation.json, ANSWERS.md and, between the marks of
 * figures, its README.md and docs/embedded-models.md. --answers writes a page of twenty answers that nobody picked. --data is for
 * rows of any kind. --fit fits the calibration on the rows (of --card, the developer set) and writes it into the bundle's tessera.json.
 * For all: --model FOLDER, --every 10 for a part of the rows, --workers 2, and --order, which also asks every choice with its options
 * reversed and reports the share of answers that change.
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
    workers: { type: 'string', default: String(countDefaultThreads()) },
    write: { type: 'boolean', default: false },
  },
})

const everydayFile = 'bench/eval-decide/everyday.jsonl'
const probeFolder = 'bench/eval-decide/probes'
const localFolder = join(probeFolder, 'local')
const manifestFile = join(values.model, 'tessera.json')
const shipped: Manifest = manifestSchema.parse(JSON.parse(await readFile(manifestFile, 'utf8')))
const settings = { every: Number(values.every), order: values.order }
const started = performance.now()

async function jsonlFiles(folder: string): Promise<string[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  return names
    .toSorted()
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name))
}

const answer = (groups: readonly (readonly string[])[]) =>
  answerInWorkers({ model: values.model, groups, settings }, Number(values.workers))

/** As it is written: four digits, so that what is made of the file is made of the same figures. */
function rounded<T>(figures: T): T {
  const short = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
  return JSON.parse(JSON.stringify(figures, short)) as T
}

async function card(file: string) {
  // Probes whose texts may not be passed on are there only where probes.py has made them.
  const [open, local] = [await jsonlFiles(probeFolder), await jsonlFiles(localFolder)]
  const [everyday, probes, others, developer] = await answer([[everydayFile], open, local, [file]])
  const manifest = await calibratedManifest(developer!.answered)
  const all = [...probes!.answered, ...others!.answered]
  const report = rounded(cardReport(developer!, everyday!.answered, all, manifest))
  if (values.write) {
    await writeText('ANSWERS.md', pageOf([...everyday!.answered, ...probes!.answered], manifest))
    for (const document of [join(values.model, 'README.md'), 'docs/embedded-models.md']) {
      if (!existsSync(document)) continue
      await writeFile(document, fillMarks(await readFile(document, 'utf8'), cardTables(report, manifest)))
    }
  }
  return { questions: developer!.answered.length, ...report }
}

async function writeAnswers(file: string): Promise<void> {
  const [asked] = await answer([[everydayFile, ...(await jsonlFiles(probeFolder))]])
  await writeFile(file, pageOf(asked!.answered, shipped))
}

async function anyRows(file: string) {
  const [read] = await answer([[file]])
  const { answered, order } = read!
  return {
    questions: answered.length,
    ...(values.order && { order: { asked: order.asked, changed: order.changed / order.asked } }),
    ...figures(calibrated(answered, await calibratedManifest(answered))),
  }
}

/** The manifest as it is, or with --fit a calibration fitted on what was answered, which is written. */
async function calibratedManifest(answered: readonly Answered[]): Promise<Manifest> {
  if (!values.fit) return shipped
  const samples = samplesOf(answered)
  const fitted = { ...fitCalibration(samples), samples: samples.length, ece: 0 }
  const calibration = { ...fitted, ece: measure(calibrated(answered, { ...shipped, calibration: fitted })).ece }
  const manifest = { ...shipped, calibration }
  await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

function pageOf(answered: readonly Answered[], manifest: Manifest): string {
  return answersPage(calibrated(answered, manifest), `${manifest.name} ${manifest.version}`)
}

async function writeText(name: string, text: string): Promise<void> {
  await writeFile(join(values.model, name), text)
}

if (!values.card && !values.answers && !values.data) {
  throw new Error('expected --card FILE (the developer set), --answers FILE to write, or --data FILE of labelled rows')
}
const report = values.card ? await card(values.card) : values.data && (await anyRows(values.data))
if (values.answers) await writeAnswers(values.answers)
if (report) {
  const seconds = Math.round((performance.now() - started) / 1000)
  const text = JSON.stringify(rounded({ model: shipped.name, version: shipped.version, seconds, ...report }), null, 2)
  if (values.write) await writeText('evaluation.json', `${text}\n`)
  console.log(text)
}
