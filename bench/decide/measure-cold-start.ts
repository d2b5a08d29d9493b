import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'

/** One process; times in milliseconds since its start where not said otherwise. */
interface Sample {
  readonly import_ms: number
  readonly create_ms: number
  readonly first_ms: number
  readonly next_ms: number
  readonly total_ms: number
  readonly resident_mib: number
}

export type ColdStart = Readonly<Record<keyof Sample, Summary>>

/** Starts processes that import the built library, create an engine and ask; the first only warms the cache of files. */
export async function measureColdStart(model: string, threads: number, runs: number): Promise<ColdStart> {
  await access('dist/index.js').catch(() => {
    throw new Error('dist/index.js is missing: the built library is what is measured; run `npm run build` first')
  })
  const samples: Sample[] = []
  for (let run = 0; run <= runs; run++) {
    const args = ['bench/decide/cold-start.mjs', resolve('dist/index.js'), resolve(model), String(threads)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    if (run > 0) samples.push(JSON.parse(stdout) as Sample)
  }
  const fields = ['import_ms', 'create_ms', 'first_ms', 'next_ms', 'total_ms', 'resident_mib'] as const
  const summary = fields.map((field) => [field, summarize(samples.map((sample) => sample[field]))])
  return Object.fromEntries(summary) as ColdStart
}
