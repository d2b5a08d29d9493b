import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench, Measured } from './bench.ts'

const INTRODUCTION =
  'Medians, with smallest and largest in brackets. Raw figures are in `results/`; `NOTES.md` says what they led to.'

/** Results of one bench, with what they were measured on. */
export async function writeResults(out: string, name: string, results: Measured): Promise<void> {
  await mkdir(join(out, 'results'), { recursive: true })
  await writeFile(join(out, 'results', `${name}.json`), `${JSON.stringify(results, round, 2)}\n`)
}

/**
 * RESULTS.md and the plots, from the results that lie in `out/results`. One that was recorded on another processor is kept beside the last one as
 * `NAME.PROCESSOR.json`, by hand.
 */
export async function renderReport(out: string, benches: Readonly<Record<string, Bench<never>>>): Promise<void> {
  const sections = ['# Measurements', INTRODUCTION]
  for (const [name, bench] of Object.entries(benches)) {
    const results = await readResults(out, name)
    if (results === undefined) continue
    sections.push(`# \`npm run bench -- ${name}\``, ...(await renderRecording(out, bench, results)))
    for (const processor of await findOthers(out, name)) {
      const other = (await readResults(out, `${name}.${processor}`))!
      const title = `# \`npm run bench -- ${name}\` on another processor: ${other.environment.cpu}`
      sections.push(title, ...(await renderRecording(out, bench, other, `.${processor}`)))
    }
  }
  await writeFile(join(out, 'RESULTS.md'), `${sections.join('\n\n')}\n`)
}

/** Its environment and its markdown. @param suffix of the names of its plots */
async function renderRecording(out: string, bench: Bench<never>, results: Measured, suffix = ''): Promise<string[]> {
  const { markdown, plots = [] } = bench.render(results as never)
  let shown = markdown
  for (const { name, svg } of plots) {
    await writeFile(join(out, 'results', `${name}${suffix}.svg`), svg)
    shown = shown.replaceAll(`results/${name}.svg`, `results/${name}${suffix}.svg`)
  }
  return [describe(results), shown]
}

/** Processors of which there is a recording of a bench beside the last one. */
async function findOthers(out: string, name: string): Promise<string[]> {
  const [before, after] = [`${name}.`, '.json']
  const files = (await readdir(join(out, 'results'))).filter((file) => file.startsWith(before) && file.endsWith(after))
  return files.map((file) => file.slice(before.length, -after.length)).filter((processor) => processor !== '')
}

export async function readResults(out: string, name: string): Promise<Measured | undefined> {
  try {
    return JSON.parse(await readFile(join(out, 'results', `${name}.json`), 'utf8')) as Measured
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function describe({ environment }: Measured): string {
  const { cpu, processors, memory_gib: memory, platform, node, runtime, threads, date, load } = environment
  const { load_after: after } = environment
  const show = (value: number | undefined) => value?.toFixed(1) ?? 'not noted'
  const busy = after === undefined ? '' : `, at the end ${show(after)}`
  return (
    `${cpu}, ${processors} processors, ${memory} GiB, ${platform}; Node ${node}, ${runtime}, ${threads} threads; ` +
    `${date.slice(0, 10)}; load before the start ${show(load)}${busy} (above 0.5 before the start, other programs ` +
    'were running).'
  )
}

function round(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}
