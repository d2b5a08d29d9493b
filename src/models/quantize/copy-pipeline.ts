import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { readOptionalConfig } from '../configs/read-config.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { PART_FOLDERS, PREVIEW_DECODER } from '../pipeline-parts.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'

/** What a pipeline needs beside its parts, by folder; the last of the tokenizer's may be missing. */
const TEXTS: readonly (readonly [folder: string, names: readonly string[]])[] = [
  ['scheduler', ['scheduler_config.json']],
  ['tokenizer', ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja']],
]
const MANIFEST = 'tessera.json'
/** Weights of any format: those of the parts, in whatever folder they lie, are written anew, and no others are read. */
const WEIGHTS = /\.(?:safetensors|gguf|bin|pth?|ckpt|h5|msgpack|onnx(?:[._]data)?)$/i
/** Memory of one step. */
const STEP_BYTES = 16 * 2 ** 20

/**
 * Copies what lies beside the parts of a pipeline with weights, and what its base has of that; its decoder for previews too.
 *
 * @throws AbortedError
 */
export async function copyBesides(files: ModelFiles, out: string, signal: AbortSignal | undefined): Promise<void> {
  const isCopied = (path: string) => {
    throwIfAborted(signal)
    // What is hidden, such as the history of a clone, belongs to a tool.
    return !basename(path).startsWith('.') && !WEIGHTS.test(path)
  }
  for (const name of await readdir(files.location)) {
    if (PART_FOLDERS.includes(name) || name === MANIFEST) continue
    // Hub caches hold links, which would point nowhere from a copy.
    await cp(join(files.location, name), join(out, name), { recursive: true, dereference: true, filter: isCopied })
  }
  for (const name of ['model_index.json', 'README.md']) await copyText(files, name, join(out, name))
  for (const [folder, names] of TEXTS) {
    await mkdir(join(out, folder), { recursive: true })
    for (const name of names) await copyText(files.within(folder), name, join(out, folder, name))
  }
  const previews = files.within(PREVIEW_DECODER)
  if ((await previews.readText('config.json')) !== undefined) {
    await copyPart(previews, join(out, PREVIEW_DECODER), signal)
  }
  const manifest = await readOptionalConfig(files, MANIFEST, z.looseObject({}), 'the manifest of an image bundle')
  if (manifest === undefined) return
  const { base: _, parts: __, ...others } = manifest
  await writeFile(join(out, MANIFEST), `${JSON.stringify(others, undefined, 2)}\n`)
}

async function copyText(files: ModelFiles, name: string, to: string): Promise<void> {
  const text = await files.readText(name)
  if (text !== undefined) await writeFile(to, text)
}

/** Writes a part as it is, in one file of safetensors. @throws AbortedError */
export async function copyPart(files: ModelFiles, out: string, signal: AbortSignal | undefined): Promise<void> {
  await mkdir(out, { recursive: true })
  await copyText(files, 'config.json', join(out, 'config.json'))
  const { weights, read } = await openTensors(files)
  const tensors = weights.names.map((name) => ({ name, ...weights.get(name)! }))
  const writer = await SafetensorsWriter.create(join(out, 'model.safetensors'), tensors, weights.metadata)
  try {
    for (const tensor of tensors) {
      for (let done = 0; done < tensor.length; done += STEP_BYTES) {
        throwIfAborted(signal)
        await writer.append(tensor.name, await read(tensor, done, Math.min(STEP_BYTES, tensor.length - done)))
      }
    }
  } finally {
    await writer.close()
  }
}
