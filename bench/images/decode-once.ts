// A process of its own that decodes one picture:
// node scripts/run-ts.mjs bench/images/decode-once.ts FOLDER SIDE THREADS RUNS
import { createCpuBackend } from '../../src/backends/index.ts'
import { describeAutoencoderKlFlux2Decoder } from '../../src/graph/index.ts'
import { openLatentDecoder } from '../../src/images/decoding/latent-decoder.ts'
import { readPart } from '../../src/images/read-part.ts'
import { autoencoderKlFlux2ConfigSchema } from '../../src/models/configs/autoencoder-config.ts'
import { openFolder } from '../../src/models/index.ts'
import { measureCost } from '../measure/compare-pairs.ts'

const [folder, side, threads, runs] = process.argv.slice(2) as [string, string, string, string]
const { config, weights } = await readPart(openFolder(folder), autoencoderKlFlux2ConfigSchema, 'an AutoencoderKLFlux2')
const backend = await createCpuBackend({ threads: Number(threads) })
const scale = 2 ** config.block_out_channels.length
const channels = 4 * config.latent_channels
const graphs = describeAutoencoderKlFlux2Decoder(config, weights)
const decoder = await openLatentDecoder(backend, graphs, { channels, scale })
const positions = Number(side) / scale
const data = Float32Array.from({ length: channels * positions ** 2 }, (_, i) => Math.sin(i * 1.7))
const before = process.memoryUsage.rss()
const times: number[] = []
const processor: number[] = []
for (let run = 0; run < Number(runs); run++) {
  const latents = { channels, height: positions, width: positions, data }
  const cost = await measureCost(() => decoder.decode(latents, { turn: async () => {} }))
  times.push(cost.time)
  processor.push(cost.processor)
}
// maxRSS is in KiB.
const peak = process.resourceUsage().maxRSS * 1024 - before
const graphRuns = decoder.countRuns({ height: positions, width: positions })
console.log(JSON.stringify({ times, processor, peak_mib: peak / 2 ** 20, graph_runs: graphRuns }))
await backend.dispose()
