import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError, type ImageModelV4CallOptions } from '@ai-sdk/provider'
import { type ImageResponse, LIMITS, type Warning } from '../schemas/index.ts'
import { asLast } from './service.ts'

type Part = Pick<ImageResponse, 'data' | 'warnings'>

/** Asks for so many pictures, behind so many that are drawn. */
export type Draw = (n: number, drawn: number, seed?: number) => Promise<Part>

/** As often, and after as long, as the AI SDK itself would try unless it is told otherwise. */
const MOST_TRIES = 3
const FIRST_WAIT_MS = 2000
/** Who is asked to wait longer is told so. */
const LONGEST_WAIT_MS = 60_000

/** Asks for as many pictures at a time as a request may have. Picture k is that of `seed + k`, and what all warn of is said once. */
export async function drawAll(
  draw: Draw,
  { n, seed, abortSignal }: Pick<ImageModelV4CallOptions, 'n' | 'seed' | 'abortSignal'>,
) {
  const images: string[] = []
  const warnings = new Map<string, Warning>()
  do {
    const drawn = images.length
    const count = Math.min(n - drawn, LIMITS.imagesPerCall.max)
    const from = seed === undefined ? undefined : addToSeed(seed, drawn)
    const drawPart = () => draw(count, drawn, from)
    const answer = await (drawn === 0 ? drawPart() : drawLater(drawPart, abortSignal))
    images.push(...answer.data.map(({ b64_json }) => b64_json))
    for (const warning of answer.warnings ?? []) warnings.set(warning.message, warning)
  } while (images.length < n)
  return { images, warnings: [...warnings.values()] }
}

/**
 * Tries again here what may pass, since the AI SDK would begin the whole call anew: what is drawn would be drawn, and charged, once
 * more.
 */
async function drawLater(draw: () => Promise<Part>, signal?: AbortSignal): Promise<Part> {
  for (let failures = 1; ; failures++) {
    try {
      return await draw()
    } catch (error) {
      if (!APICallError.isInstance(error) || !error.isRetryable) throw error
      const wait = readRetryAfter(error) ?? FIRST_WAIT_MS * 2 ** (failures - 1)
      if (failures === MOST_TRIES || wait > LONGEST_WAIT_MS) throw asLast(error)
      await sleep(wait, undefined, { signal }).catch(() => signal?.throwIfAborted())
    }
  }
}

/** Milliseconds, where the service says seconds; what stands before it may say a date, or nothing. */
function readRetryAfter({ responseHeaders }: APICallError): number | undefined {
  const given = responseHeaders?.['retry-after']
  if (!given) return undefined
  const wait = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0)
}

/** The low 32 bits of a seed count, so that beyond the safe integers one that has the same stands for it. */
function addToSeed(seed: number, k: number): number {
  return seed + k > Number.MAX_SAFE_INTEGER && k > 0 ? seed - 2 ** 32 + k : seed + k
}
