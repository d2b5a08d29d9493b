import { parseArgs } from 'node:util'
import { countDefaultThreads } from '../src/backends/platform.ts'
import { benchDecide } from './decide/bench-decide.ts'

/*
 * Measures the library and writes bench/results/decide.json and bench/RESULTS.md:
 *
 *     npm run bench -- decide [--model models/decide-mini] [--layers 4] [--threads N] [--runs 7] [--out bench]
 *
 * --layers is how many of the 28 layers the bundle in the shapes of Qwen3-0.6B gets; 0 leaves it out.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: 'models/decide-mini' },
    layers: { type: 'string', default: '4' },
    threads: { type: 'string', default: String(countDefaultThreads()) },
    runs: { type: 'string', default: '7' },
    out: { type: 'string', default: 'bench' },
  },
})
if (positionals.join(' ') !== 'decide') throw new Error(`expected what to measure: decide; got "${positionals.join(' ')}"`)
await benchDecide({
  ...values, layers: Number(values.layers), threads: Number(values.threads), runs: Number(values.runs),
})
