import { ms, percent, table, times } from '../report/markdown.ts'
import type { StepFigures } from './measure-steps.ts'
import type { Peer } from './open-peer.ts'
import type { ImagesResults } from './results.ts'

const WEIGHTS = { float32: 'float32', int8: 'int8', int8_rows: 'int8, whole rows', int4: 'int4' } as const
const PRECISIONS = ['float32', 'int8', 'int8_rows', 'int4'] as const
const PEERS: Readonly<Record<Peer, string>> = {
  torch_float32: 'PyTorch, float32',
  torch_bfloat16: 'PyTorch, bfloat16',
  stable_diffusion_f32: 'stable-diffusion.cpp, f32',
  stable_diffusion_q8_0: 'stable-diffusion.cpp, q8_0',
}
/** What stable-diffusion.cpp has with weights of as many bits. */
const SAME_BITS = {
  float32: 'stable_diffusion_f32',
  int8: 'stable_diffusion_q8_0',
  int8_rows: 'stable_diffusion_q8_0',
  int4: undefined,
} as const

const STEP_HEAD = [
  'network',
  'weights',
  'step',
  'against float32',
  'rate',
  'of its peak',
  'outside',
  'deviation',
  'against PyTorch fp32',
  'against PyTorch bf16',
  'against stable-diffusion.cpp',
]

export function renderImages({ peak, steps, decoding }: ImagesResults): string {
  const blocks = peak.int8_blocks.max
  const peaks = { float32: peak.float32.max, int8: blocks, int8_rows: peak.int8_dynamic.max, int4: blocks }
  const peerRows = steps.flatMap(({ kind, times: all }) =>
    (Object.keys(PEERS) as Peer[]).flatMap((peer) =>
      all[peer] === undefined ? [] : [[kind, PEERS[peer], ms(all[peer])]],
    ),
  )
  return [
    '## One step of the transformers',
    `FLUX.2 and Z-Image networks with blocks of 1,152 channels and 4 blocks, random weights, a picture of 512 × 512 and 64
tokens of text. Work counted: twice the weights for each row, and the attention of all rows to all. Peaks are those of
products of 1,024 × 2,560 × 2,560 in this run: fp32 ${peaks.float32.toFixed(0)}, int8 in blocks ${blocks.toFixed(0)},
int8 quantised as a whole ${peaks.int8_rows.toFixed(0)} GFLOP/s (int4 computes in int8). Attention is float32 in all, and since
2026-11-25 in 8 bits with whole rows, on x64 processors with VNNI.
"Whole rows" are 8 bits with one scale for a row of weights or activations (\`tessera quantize --block row\`); int8 and
int4 are blocks of 128. "Outside" is the share of a step that is not inside \`session.run\`. "Deviation" is that of the
prediction from float32, with random weights, in the root mean square. PyTorch runs the classes of diffusers on
the same weights, in turns with ours, with as many threads. stable-diffusion.cpp runs on the same weights too, float32
against f32 and int8 against q8_0 (blocks of 32).`,
    table(
      STEP_HEAD,
      steps.flatMap((figures) =>
        PRECISIONS.filter((precision) => figures.times[precision] !== undefined).map((precision) =>
          stepRow(figures, precision, peaks),
        ),
      ),
    ),
    ...(peerRows.length > 0
      ? [table(['network', 'runtime', 'step'], peerRows)]
      : ['Neither `PYTHON` with PyTorch nor `STABLE_DIFFUSION_STEP` was given.']),
    '## Decoding a picture',
    `The decoder of FLUX.2's autoencoder with the published channels (128, 256, 512, 512) and random weights, float32,
each size in a process of its own. Above 1,024 pixels it runs in bands. Memory is what the process took at most beyond
what it had with the model open. Processor time is that of all threads; other programs hardly change it.`,
    decoding.length === 0
      ? 'Not measured yet with this decoder.'
      : table(
          ['side', 'time', 'processor time', 'runs of a graph', 'peak memory'],
          decoding.map(({ side, time, processor, graph_runs: graphRuns, peak_mib: mib }) => [
            `${side} px`,
            ms(time),
            ms(processor),
            String(graphRuns),
            `${mib.toFixed(0)} MiB`,
          ]),
        ),
  ].join('\n\n')
}

function stepRow(
  figures: StepFigures,
  precision: (typeof PRECISIONS)[number],
  peaks: Readonly<Record<string, number>>,
): string[] {
  const { float32: exact, torch_float32: torch, torch_bfloat16: half } = figures.times
  const time = figures.times[precision]
  const sameBits = SAME_BITS[precision] && figures.times[SAME_BITS[precision]]
  if (time === undefined || exact === undefined) throw new Error(`no time of ${figures.kind} with ${precision}`)
  const rate = figures.gflop / (time.median / 1000)
  return [
    figures.kind,
    WEIGHTS[precision],
    ms(time),
    times(exact.median / time.median),
    `${rate.toFixed(0)} GFLOP/s`,
    percent(rate / (peaks[precision] ?? Number.NaN)),
    percent(figures.outside[precision].median, 2),
    percent(figures.deviation[precision], 1),
    torch === undefined ? '–' : `**${times(torch.median / time.median)}**`,
    half === undefined ? '–' : times(half.median / time.median),
    sameBits === undefined ? '–' : `**${times(sameBits.median / time.median)}**`,
  ]
}
