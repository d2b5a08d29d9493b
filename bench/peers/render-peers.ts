import { figure, ms, table, times } from '../report/markdown.ts'
import { plotLines } from '../report/svg-plot.ts'
import type { PeerFigures, PeersResults, Way } from './results.ts'

const LLAMA = ['llama_sequence', 'llama_decisions', 'llama_decisions_many'] as const
const NAMES: Readonly<Record<Way, string>> = {
  tessera: 'this library',
  tessera_rows: 'this library, whole rows of 8 bits',
  llama_sequence: 'llama.cpp, one sequence',
  llama_decisions: 'llama.cpp, decision context (4)',
  llama_decisions_many: 'llama.cpp, decision context (16)',
  transformers: 'transformers.js',
}
const WAYS = Object.keys(NAMES) as Way[]

export function renderPeers({ layers, decide }: PeersResults) {
  const plots = ([8, 4] as const).map((bits) => ({
    name: `peers-int${bits}`,
    svg: plotLines(
      WAYS.map((way) => ({ name: NAMES[way], points: pointsOf(decide, bits, way) })),
      { title: `Questions on the longest state, int${bits}, ${layers} layers`, x: 'questions', y: 'milliseconds' },
    ),
  }))
  const head = [
    'bits',
    'state',
    'questions',
    ...WAYS.map((way) => NAMES[way]),
    "against llama.cpp's best",
    'whole rows against it',
    'against transformers.js',
  ]
  const markdown = [
    '## `decide` against other packages',
    `Qwen3-0.6B shapes with ${layers} of 28 layers and random weights on every side: blocks of 128 here and in
transformers.js, Q8_0 and Q4_0 (blocks of 32) in llama.cpp through node-llama-cpp. "Whole rows" are 8 bits with one scale
for a row of weights or activations (\`tessera quantize --block row\`), which is less accurate than blocks of 8 bits, and
than Q8_0, but more than 4 bits; they stand beside int4, too, with files of twice the size. bench/NOTES.md has figures. Every side reads the same number of tokens: the state once, and 64 tokens a question with what its own template puts around it. Texts are filled up with a
one-token word until \`countTokens\` here, and the count that node-llama-cpp reports, say so. "One sequence" is written by
hand: the state once, then every question behind it, erasing the one before. "Decision context" is the package's own API
for such questions, with 4 (its default) or up to 16 copies of the state. transformers.js runs this library's operators
and weights behind its own inputs and outputs, each question on the cache of the state.`,
    table(
      head,
      decide.map((row) => [
        `int${row.bits}`,
        String(row.state),
        String(row.questions),
        ...WAYS.map((way) => cell(row, way)),
        againstLlama(row, 'tessera'),
        againstLlama(row, 'tessera_rows'),
        times(median(row, 'transformers') / median(row, 'tessera')),
      ]),
    ),
    ...plots.map(({ name }) => figure(name, 'Time against the number of questions')),
  ].join('\n\n')
  return { markdown, plots }
}

function pointsOf(rows: readonly PeerFigures[], bits: number, way: Way): [number, number][] {
  const longest = Math.max(...rows.map(({ state }) => state))
  return rows
    .filter((row) => row.bits === bits && row.state === longest && row.times[way] !== undefined)
    .map((row) => [row.questions, median(row, way)])
}

function againstLlama(row: PeerFigures, way: Way): string {
  return row.times[way] === undefined ? '–' : `**${times(bestLlama(row) / median(row, way))}**`
}

function cell({ times: all }: PeerFigures, way: Way): string {
  const summary = all[way]
  return summary === undefined ? '–' : ms(summary)
}

function median({ times: all }: PeerFigures, way: Way): number {
  return all[way]?.median ?? Number.NaN
}

function bestLlama(row: PeerFigures): number {
  return Math.min(...LLAMA.map((way) => row.times[way]?.median ?? Infinity))
}
