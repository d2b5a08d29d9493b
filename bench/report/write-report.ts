import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench, Measured } from './bench.ts'

const INTRODUCTION =
  'Medians, with smallest and largest in brackets. Raw figures are in `results/`; `NOTES.md` says what they led to.'

/** Results of one bench, with what they were measured on. */
export async function writeResults(out: string, name: string, results: Measured): Promise<void> {
  await mkdir(join(out, 'results'), { recursive: true })
  await writeFile(join(out, 'results', `${name}.json`), `${JSON.stringify(results, round, 2)}\n`)
}

/** RESULTS.md and the plots, from the results that lie in `out/results`. */
export async function renderReport(out: string, benches: Readonly<Record<string, Bench<never>>>): Promise<void> {
  const sections = ['# Measurements', INTRODUCTION]
  for (const [name, bench] of Object.entries(benches)) {
    const results = await readResults(out, name)
    if (results === undefined) continue
    const { markdown, plots = [] } = bench.render(results as never)
    sections.push(`# \`npm run bench -- ${name}\``, describe(results), markdown)
    for (const { name: plot, svg } of plots) await writeFile(join(out, 'results', `${plot}.svg`), svg)
  }
  await writeFile(join(out, 'RESULTS.md'), `${sections.join('\n\n')}\n`)
}

async function readResults(out: string, name: string): Promise<Measured | undefined> {
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
