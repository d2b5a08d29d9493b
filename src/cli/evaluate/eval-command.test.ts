import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { ProgressReport } from '../progress-report.ts'
import { runTessera } from '../test-support/run-tessera.ts'

let folder: string
beforeEach(() => void (folder = temporaryFolder()))
afterEach(async () => {
  vi.restoreAllMocks()
})

const QUESTIONS = { spam: { type: 'noul', instructions: 'Is this message spam?' } }
const ROWS = [
  { state: 'You have WON a prize!!! Click here to claim your cash now', labels: { spam: true } },
  { state: 'Shall we have lunch on Tuesday?', labels: { spam: false } },
]

const run = (rows: readonly unknown[], ...rest: string[]) => runWith('eval', rows, rest)

async function runWith(
  command: 'eval' | 'calibrate',
  rows: readonly unknown[],
  rest: readonly string[],
  questions: object = QUESTIONS,
) {
  const data = join(folder, 'rows.jsonl')
  await writeFile(data, rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'))
  await writeFile(join(folder, 'questions.json'), JSON.stringify(questions))
  return runOn(command, data, '-q', join(folder, 'questions.json'), ...rest)
}

/** What it prints, first to stderr; what takes five seconds says how far it is, which is left out. */
async function runOn(command: 'eval' | 'calibrate', data: string, ...rest: string[]): Promise<string> {
  const { code, stdout, stderr } = await runTessera(command, '--data', data, ...rest)
  expect(code === 0).toBe(!stderr.includes('error '))
  return stderr.replaceAll(/^(row|fit) \d+ of \d+.*\n/gm, '') + stdout
}

it('measures the embedded model and compares it with itself', async () => {
  const html = join(folder, 'report.html')
  const text = await run(ROWS, '--use', 'decide-mini,decide-mini', '--html', html)
  expect(text).toMatch(/^decide-mini: 2 rows, \d+ tokens/m)
  expect(text).toContain('decide-mini answers 0 points more of the questions right than decide-mini (± 49 points)')
  expect(await readFile(html, 'utf8')).toContain('<h1>Evaluation on 2 rows</h1>')
})

it('tells builds of one model apart by what they are called', async () => {
  const copy = join(folder, 'copy')
  await symlink(fileURLToPath(new URL('../../../models/decide-mini', import.meta.url)), copy)
  const html = join(folder, 'report.html')
  const text = await run(ROWS, '--use', `decide-mini, ${copy}`, '--html', html)
  expect(text).toContain(
    `decide-mini answers 0 points more of the questions right than decide-mini (${copy}) (± 49 points)`,
  )
  expect(await readFile(html, 'utf8')).toContain(`<h2>decide-mini (${copy})</h2>`)
})

it('prints JSON, with the comparison beside every model but the first', async () => {
  const [first, second] = JSON.parse(await run(ROWS, '--json', '--use', 'decide-mini,decide-mini'))
  expect(first.overall.n).toBe(2)
  expect(first).not.toHaveProperty('comparison')
  expect(second).toMatchObject({
    right: first.right,
    comparison: { onlyFirst: 0, onlySecond: 0, difference: 0, margin: 0.49 },
  })
})

it.each([
  [[], '--data: '],
  [[ROWS[0], '{'], '--data, line 2: expected JSON'],
  [['[1]'], '--data, line 1: expected a JSON object, got an array'],
  [['"secret"'], '--data, line 1: expected a JSON object, got a string'],
  [[ROWS[0], { ...ROWS[1], questions: QUESTIONS }], '--data, line 2: has questions of its own'],
  [[{ ...ROWS[0], labels: { spam: 'yes' } }], '--data, line 1.labels.spam: must be true or false'],
  [[ROWS[0], '', { ...ROWS[1], labels: { ham: true } }], '--data, line 3.labels.ham: no question of that name'],
])('says which line is wrong (%#)', async (rows, message) => {
  expect(await run(rows)).toContain(message)
})

it.each(['rows.csv', 'rows.TSV'])('says of a table, %s, that rows are JSON lines', async (name) => {
  const data = join(folder, name)
  await writeFile(data, 'state,spam\nShall we have lunch?,false\n')
  expect(await runOn('eval', data)).toBe(
    `error --data: labelled rows are JSON lines (.jsonl), each {"state": …, "labels": {…}}; got the table ${data}\n`,
  )
})

it('says which line holds what the model refuses', async () => {
  const questions = { 'too.long': { type: 'noul', instructions: 'spam '.repeat(9000) } }
  const rows = [{ ...ROWS[0], questions: QUESTIONS }, '', { ...ROWS[1], questions, labels: { 'too.long': false } }]
  const data = join(folder, 'rows.jsonl')
  await writeFile(data, rows.map((row) => (row === '' ? '' : JSON.stringify(row))).join('\n'))
  expect(await runOn('eval', data)).toMatch(/^error --data, line 3\.questions\.too\.long: its text .*\n$/)
})

it('refuses what it would find out at the end before it measures', async () => {
  expect(await run(ROWS, '--html', join(folder, 'none', 'r.html'))).toMatch(
    /^error --html: .* there is no folder .*none\n$/,
  )
  expect(await run(ROWS, '--use', 'decide-mini,no/such')).toMatch(/^error .*no\/such/)
  const out = join(folder, 'none', 'c.json')
  expect(await runWith('calibrate', ROWS, [out])).toMatch(/^error out: .* there is no folder .*\n$/)
})

it.each([
  ['eval', ['--html'], '--html', '<!doctype html>\n<title>Evaluation of a</title>'],
  ['calibrate', [], 'out', '{"format":"tessera-calibration-1"}'],
] as const)('%s replaces nothing but what it wrote itself', async (command, flag, argument, own) => {
  const notes = join(folder, 'notes.txt')
  await writeFile(notes, 'notes')
  const link = join(folder, 'link.jsonl')
  await symlink(join(folder, 'rows.jsonl'), link)
  for (const [name, reason] of [
    ['notes.txt', 'exists and is not of an earlier run; give another name, or --force to replace it'],
    ['rows.jsonl', 'is read by this command too'],
    ['questions.json', 'is read by this command too'],
    ['link.jsonl', 'is read by this command too'],
  ] as const) {
    const force = name === 'notes.txt' ? [] : ['--force']
    expect(await runWith(command, ROWS, [...flag, join(folder, name), ...force])).toBe(
      `error ${argument}: ${join(folder, name)} ${reason}${reason.endsWith('too') ? '; give another name' : ''}\n`,
    )
  }
  expect(await readFile(notes, 'utf8')).toBe('notes')
  await writeFile(join(folder, 'own'), own)
  for (const rest of [[join(folder, 'own')], [notes, '--force']]) {
    // Options of the engine are read next.
    expect(await runWith(command, ROWS, [...flag, ...rest, '--threads', 'x'])).toMatch(/^error --threads/)
  }
})

it('names the flag of an error that is no share', async () => {
  expect(await runWith('calibrate', ROWS, [join(folder, 'c.json'), '--error', '5'])).toBe(
    'error --error: must be a number from 0 to 1, got 5\n',
  )
})

it('calibrates, and measures with what it wrote', async () => {
  const file = join(folder, 'calibration.json')
  // Texts that say the opposite of their labels, so that there is something to correct.
  const rows = Array.from({ length: 12 }, (_, index) => ({ ...ROWS[index % 2], labels: { spam: index % 2 === 1 } }))
  const text = await runWith('calibrate', rows, [file, '--error', '0.2'])
  expect(text).toMatch(/^spam +12 +0\.000/m)
  expect(text).toContain('few rows')
  const { model, questions } = JSON.parse(await readFile(file, 'utf8'))
  expect(model).toMatchObject({ id: 'decide-mini' })
  expect(questions).toMatchObject([{ question: QUESTIONS.spam, rows: 12 }])
  const [before] = JSON.parse(await run(rows, '--json'))
  const [after] = JSON.parse(await run(rows, '--json', '--calibration', file))
  expect(after.overall.brier).toBeLessThan(before.overall.brier)
})

/** decide-mini under another version, which a calibration of the embedded one is not for. */
async function copyModel(name: string): Promise<string> {
  const copy = join(folder, name)
  await cp(fileURLToPath(new URL('../../../models/decide-mini/', import.meta.url)), copy, { recursive: true })
  const manifest = JSON.parse(await readFile(join(copy, 'tessera.json'), 'utf8'))
  await writeFile(join(copy, 'tessera.json'), JSON.stringify({ ...manifest, version: '99.0.0' }))
  return copy
}

it('gives a calibration to those of several models that it is for, and measures nothing where there are none', async () => {
  const file = join(folder, 'calibration.json')
  const rows = Array.from({ length: 12 }, (_, index) => ({ ...ROWS[index % 2], labels: { spam: index % 2 === 1 } }))
  await runWith('calibrate', rows, [file])
  const [other, another] = [await copyModel('other'), await copyModel('another')]
  const [shipped] = JSON.parse(await run(rows, '--json'))
  for (const use of [`${other},decide-mini`, `decide-mini,${other}`]) {
    const [warning, ...lines] = (await run(rows, '--json', '--use', use, '--calibration', file)).split('\n')
    expect(warning).toBe(`warning ${other} is measured as it was shipped: ${file} is for another model`)
    const measured = JSON.parse(lines.join('\n')) as (typeof shipped)[]
    const [first, second] = use.startsWith('decide') ? measured.toReversed() : measured
    expect(first.overall.brier).toBeCloseTo(shipped.overall.brier, 9)
    expect(second.overall.brier).toBeLessThan(shipped.overall.brier)
  }
  const rowsSeen = vi.spyOn(ProgressReport.prototype, 'show')
  expect(await run(rows, '--use', `${other},${another}`, '--calibration', file)).toMatch(
    /^error calibration: was made for decide-mini .*; this engine serves decide-mini 99\.0\.0 .*\. Calibrate anew\n$/,
  )
  expect(rowsSeen).not.toHaveBeenCalled()
})

/** Messages of the junk probe, all asked one question. */
async function readMessages(count: number) {
  const text = await readFile(new URL('../../../bench/eval-decide/probes/junk.jsonl', import.meta.url), 'utf8')
  const probes = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { state: string; questions: { instructions: string; gold: unknown }[] })
  return probes.slice(0, count).map(({ state, questions: [asked] }) => {
    const isYes = asked!.gold === true && asked!.instructions.startsWith('Should')
    const isNo = asked!.gold === false && asked!.instructions.startsWith('Did')
    return { state, labels: { spam: isYes || isNo || asked!.gold === 'rubbish' || asked!.gold === 'stranger' } }
  })
}

it('fits a head that answers messages better than calibration alone', async () => {
  // A rule of one's own: its name says nothing, so that the messages and their answers alone can.
  const asked = { spam: { type: 'noul', instructions: 'Does rule 7 apply?' } }
  const rows = await readMessages(160)
  const file = join(folder, 'calibration.json')
  const known = rows.slice(0, 110)
  const told = vi.spyOn(ProgressReport.prototype, 'show')
  const { questions } = JSON.parse(await runWith('calibrate', known, [file, '--json'], asked))
  const [{ head, before, calibrated, withHead }] = questions
  expect(head).toBe('fitted')
  // Five fits without a head, five with each of six strengths, and the last.
  expect(told.mock.lastCall).toEqual([{ stage: 'fit', done: 36, total: 36 }])
  expect(withHead.accuracy).toBeGreaterThan(calibrated.accuracy + 0.05)
  expect(withHead.logLoss).toBeLessThan(Math.min(before.logLoss, calibrated.logLoss))
  const others = rows.slice(110)
  const [shipped] = JSON.parse(await runWith('eval', others, ['--json'], asked))
  const [headed] = JSON.parse(await runWith('eval', others, ['--json', '--calibration', file], asked))
  expect(headed.overall.accuracy).toBeGreaterThan(shipped.overall.accuracy + 0.05)
  expect(headed.overall.brier).toBeLessThan(shipped.overall.brier - 0.05)
}, 120_000)
