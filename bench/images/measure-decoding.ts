import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { AUTOENCODER_MID } from '../models/autoencoder-shape.ts'
import { provideRandomModel } from '../models/random-checkpoint.ts'

export interface DecodingFigures {
  readonly side: number
  readonly time: Summary
  /** Memory of the process at its largest, beyond what it had before decoding. */
  readonly peak_mib: number
}

/** Decodes pictures of each size in a process of its own, which is the only way to know their peak. */
export async function measureDecoding(
  sides: readonly number[], { threads, runs }: { readonly threads: number; readonly runs: number },
): Promise<DecodingFigures[]> {
  const folder = await provideRandomModel(AUTOENCODER_MID, 'float32')
  const figures: DecodingFigures[] = []
  for (const side of sides) {
    const args = ['scripts/run-ts.mjs', 'bench/images/decode-once.ts', folder, side, threads, runs].map(String)
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { times, peak_mib } = JSON.parse(stdout) as { times: number[]; peak_mib: number }
    console.error(`decoding ${side}: ${times.map((time) => time.toFixed(0)).join(', ')} ms, ${peak_mib.toFixed(0)} MiB`)
    figures.push({ side, time: summarize(times), peak_mib })
  }
  return figures
}
