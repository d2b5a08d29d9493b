import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { AUTOENCODER } from '../models/autoencoder-shape.ts'
import { provideRandomModel } from '../models/random-checkpoint.ts'

export interface DecodingFigures {
  readonly side: number
  readonly time: Summary
  /** Processor time of all threads, in milliseconds, which other programs hardly change. */
  readonly processor: Summary
  /** Runs of a graph; more than one where the picture is decoded in bands. */
  readonly graph_runs: number
  /** Memory of the process at its largest, beyond what it had before decoding. */
  readonly peak_mib: number
}

/** What the process says. */
interface Decoded extends Pick<DecodingFigures, 'peak_mib' | 'graph_runs'> {
  readonly times: readonly number[]
  readonly processor: readonly number[]
}

/** Decodes pictures of each size in a process of its own, which is the only way to know their peak. */
export async function measureDecoding(
  sides: readonly number[],
  { threads, runs }: { readonly threads: number; readonly runs: number },
): Promise<DecodingFigures[]> {
  const folder = await provideRandomModel(AUTOENCODER, 'float32')
  const figures: DecodingFigures[] = []
  for (const side of sides) {
    const args = ['scripts/run-ts.mjs', 'bench/images/decode-once.ts', folder, side, threads, runs].map(String)
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { times, processor, ...rest } = JSON.parse(stdout) as Decoded
    console.error(
      `decoding ${side}: ${times.map((time) => time.toFixed(0)).join(', ')} ms, ${rest.peak_mib.toFixed(0)} MiB`,
    )
    figures.push({ side, time: summarize(times), processor: summarize(processor), ...rest })
  }
  return figures
}
