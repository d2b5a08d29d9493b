import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { OverloadedError } from '../../errors/index.ts'
import { memoryToDecode } from '../../images/picture/decoding-memory.ts'
import type { PictureCodec } from '../../images/picture/picture-codec.ts'
import type { PixelImage } from '../../images/picture/pixel-image.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { measureAvailableMemory } from '../memory/available-memory.ts'
import { inDecodingTurn } from './decoding-turn.ts'
import { nextTask } from './next-task.ts'

/** Pictures of usual sizes take less: whoever has no such room to spare has none for anything else. */
const ASKED_FROM = 48e6

interface Memory {
  /** @returns bytes that can be had */
  measure(): Promise<number>
  /** Gives back what nobody uses any more. */
  collect(): Promise<void>
}

const THIS_PROCESS: Memory = { measure: async () => (await measureAvailableMemory()).bytes, collect: collectGarbage }

/**
 * The same codec, which refuses a large picture that there is no memory to decode: a file of a few bytes may stand for hundreds
 * of megabytes, and the system would end the whole process. Large ones are decoded one after another, as each would find the memory
 * that the others have not taken yet.
 */
export function sparingMemory(codec: PictureCodec, memory = THIS_PROCESS): PictureCodec {
  const requireRoom = async (needed: number) => {
    if (needed <= (await memory.measure())) return
    await memory.collect()
    if (needed <= (await memory.measure())) return
    const what = `a picture of this size and kind takes about ${formatBytes(needed)} of memory to decode`
    throw new OverloadedError(`${what}, more than is left here; send a smaller one, or retry with backoff`)
  }
  const inRoom = async (file: Uint8Array, decode: () => Promise<PixelImage>) => {
    const needed = memoryToDecode(file)
    if (needed < ASKED_FROM) return decode()
    return inDecodingTurn(async () => {
      await requireRoom(needed)
      return decode()
    })
  }
  return {
    decode: (file) => inRoom(file, () => codec.decode(file)),
    decodeMask: (file) => inRoom(file, () => codec.decodeMask(file)),
    encode: (image) => codec.encode(image),
  }
}

/** Pictures of requests before are small objects to the collector, which leaves their memory for long. */
async function collectGarbage(): Promise<void> {
  try {
    setFlagsFromString('--expose-gc')
    const collect: unknown = runInNewContext('gc')
    if (typeof collect === 'function') collect()
  } catch {
    // Runtimes other than Node have no such flag; there the memory stays taken until they collect by themselves.
  }
  // Memory outside of the collector's own is given back by tasks that it leaves behind.
  await nextTask()
}
