import type { CreateSession, Session } from '../../backends/backend.ts'
import type { DecoderStage, DividedDecoder } from '../../graph/index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Grid } from '../sampling/positions.ts'
import { planBands, type Band } from './bands.ts'
import { GroupSums, type GroupStatistics } from './group-sums.ts'
import { copyRows, createPlanes, type Planes, toTensor } from './planes.ts'

type UseBand = (made: Planes, band: Band) => void

/**
 * Decodes a picture in bands, to the values that decoding it whole gives: what a norm has to know of the whole picture is
 * measured first, in a pass of its own over all bands. Sessions live for one pass, since each holds memory for its runs.
 */
export class BandedDecoder {
  readonly #graphs: DividedDecoder
  readonly #open: CreateSession
  readonly #bandBytes: number | undefined

  /** @param bandBytes size of the largest value in a run. @defaultValue see `planBands` */
  constructor(graphs: DividedDecoder, open: CreateSession, bandBytes?: number) {
    this.#graphs = graphs
    this.#open = open
    this.#bandBytes = bandBytes
  }

  /** Runs of graphs for a picture of that size, in pixels. */
  countRuns({ height, width }: Grid): number {
    const { stages } = this.#graphs
    let scale = stages.reduce((product, stage) => product / stage.scale, 1)
    let runs = 1
    for (const stage of stages) {
      const size = { height: height * scale, width: width * scale }
      runs += (stage.measured.length + 1) * planBands(stage, size, this.#bandBytes).length
      scale *= stage.scale
    }
    return runs
  }

  /** @param turn awaited before every run */
  async decode(latents: Planes, turn: () => Promise<void>): Promise<Planes> {
    let features = await this.#begin(latents, turn)
    for (const stage of this.#graphs.stages) features = await this.#runStage(stage, features, turn)
    return features
  }

  #begin(latents: Planes, turn: () => Promise<void>): Promise<Planes> {
    return this.#with(this.#graphs.begin(), async (session) => {
      await turn()
      const { features } = await session.run({ latents: toTensor(latents) })
      const [, channels, height, width] = features!.dims as [number, number, number, number]
      return { channels, height, width, data: features!.data as Float32Array }
    })
  }

  async #runStage(stage: DecoderStage, features: Planes, turn: () => Promise<void>): Promise<Planes> {
    const { inputs, outputs, scale } = stage
    const bands = planBands(stage, features, this.#bandBytes)
    const statistics: GroupStatistics[] = []
    if (scale === 1) statistics.push(this.#measure(features))
    const pass = (graph: BuiltGraph, channels: number, use: UseBand) =>
      this.#with(graph, (session) => runBands(session, { features, bands, statistics, channels, scale }, turn, use))
    for (const { graph, channels } of stage.measured) {
      const sums = new GroupSums(this.#graphs.groups)
      await pass(graph(), channels, (made, { own }) => sums.add(made, own))
      statistics.push(sums.compute())
    }
    // Features are the largest values here, so a result takes the place of what it was made from where it fits.
    const result =
      inputs === outputs && scale === 1
        ? features
        : createPlanes(outputs, features.height * scale, features.width * scale)
    await pass(stage.result(), outputs, (made, { own, at }) => copyRows(made, own, result, at))
    return result
  }

  #measure(features: Planes): GroupStatistics {
    const sums = new GroupSums(this.#graphs.groups)
    sums.add(features, { from: 0, to: features.height })
    return sums.compute()
  }

  async #with<Result>(graph: BuiltGraph, work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.#open(graph)
    return work(session).finally(() => session.dispose())
  }
}

interface Pass {
  readonly features: Planes
  readonly bands: readonly Band[]
  readonly statistics: readonly GroupStatistics[]
  /** Channels of what the graph makes, and its sides over those of the features. */
  readonly channels: number
  readonly scale: number
}

async function runBands(
  session: Session,
  { features, bands, statistics, channels, scale }: Pass,
  turn: () => Promise<void>,
  use: UseBand,
): Promise<void> {
  const fed = reserve(features.channels, bands, features.width)
  const measured = Object.fromEntries(
    statistics.flatMap(({ mean, variance }, i) => [
      [`mean_${i}`, mean],
      [`variance_${i}`, variance],
    ]),
  )
  const feed = (band: Band) => {
    const part = within(fed, features.channels, band.given.to - band.given.from, features.width)
    copyRows(features, band.given, part, 0)
    return part
  }
  let part = feed(bands[0]!)
  for (const [i, band] of bands.entries()) {
    await turn()
    const made = await session.run({ features: toTensor(part), ...measured })
    const size = { channels, height: part.height * scale, width: part.width * scale }
    // `use` may overwrite rows of this band that the next one depends on.
    const next = bands[i + 1]
    if (next !== undefined) part = feed(next)
    use({ ...size, data: made['result']!.data as Float32Array }, band)
    session.free(made)
  }
}

/** Room for the highest of the bands, so that none has to be made anew. */
function reserve(channels: number, bands: readonly Band[], width: number): Float32Array {
  return new Float32Array(channels * width * Math.max(...bands.map(({ given }) => given.to - given.from)))
}

function within(room: Float32Array, channels: number, height: number, width: number): Planes {
  return { channels, height, width, data: room.subarray(0, channels * height * width) }
}
