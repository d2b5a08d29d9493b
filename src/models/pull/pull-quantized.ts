import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { DownloadFailedError, InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import type { QuantizationConfig } from '../configs/quantization-config.ts'
import { exists } from '../files/exists.ts'
import { openFolder } from '../files/model-folder.ts'
import { withLock } from '../files/with-lock.ts'
import { isGgufPath } from '../gguf/gguf-path.ts'
import { describeQuantized } from '../quantize/quantize-weights.ts'
import { SliceQuantizer } from '../quantize/slice-quantizer.ts'
import { downloadBlob } from './download-file.ts'
import { checkSpace } from './fetch-files.ts'
import { connect, type Hub, patient } from './hub-client.ts'
import { partialOf, sizeOf } from './partial-file.ts'
import { explainPull, type PullOptions, readOffline, readPullName } from './pull-model.ts'
import { readState, writeState } from './pull-state.ts'
import { listRough, quantizeShard, writeIndex } from './quantize-shard.ts'
import { listKept, planParts, type QuantizedPart } from './quantized-parts.ts'
import { listRemoteFiles, type RemoteFile } from './remote-files.ts'

export interface PullQuantizedOptions extends Omit<PullOptions, 'without'> {
  /** Folder to make; it must not exist yet and appears only once it is complete. */
  readonly out: string
  readonly bits: QuantizationConfig['bits']
  /** Values that share a scale. */
  readonly blockSize: QuantizationConfig['block_size']
  /** Threads that quantise. @defaultValue 1 */
  readonly threads?: number
  /** Called when a file of weights has arrived and is quantised. */
  readonly onQuantize?: (file: string) => void
  /** Called at the end with the names of matrices that stayed in blocks of 128, as whole rows would have been too rough for them. */
  readonly onRough?: (names: readonly string[]) => void
}

/**
 * Makes a quantised copy of a checkpoint of the hub without ever having all of the checkpoint: one file of weights after another
 * is downloaded beside `out`, quantised and removed, so that the disk needs the copy and one file. What a process that
 * ended has finished is not done again.
 *
 * @returns `out`
 * @throws InvalidRequestError, ModelNotFoundError, ModelFormatError, DownloadFailedError, AbortedError
 */
export async function pullQuantized(options: PullQuantizedOptions): Promise<string> {
  const { revision = 'main', signal, env = process.env, bits, blockSize } = options
  const { id, wanted } = readPullName(options.id)
  if (wanted !== undefined) throw refuseGguf(id)
  const out = resolve(options.out)
  const work = `${out}.partial`
  await refuseExisting(out, work)
  const offline = readOffline(env)
  if (offline !== undefined)
    throw new DownloadFailedError(
      id,
      `${offline}. \`npx tessera-onnx quantize ${id} FOLDER\` takes a model that was pulled`,
    )
  const hub = await connect(env, signal)
  try {
    await withLock(`${work}.lock`, { signal, onWait: () => options.onWait?.() }, async () => {
      // The process that had the lock before may have made it.
      await refuseExisting(out, work)
      const begun = { id, revision, bits, block_size: blockSize }
      const state = await readState(openFolder(work), begun)
      const listing = patient(hub, signal, options.onRetry)
      const { commit, files } = await listRemoteFiles(listing, { id, revision: state?.commit ?? revision }).catch(
        (error: unknown) => {
          throw state === undefined ? error : explainGone(error, state.commit, work)
        },
      )
      if (files.some(({ path }) => isGgufPath(path))) throw refuseGguf(id)
      await writeState(work, { ...begun, commit })
      await makeCopy({ ...options, id, hub, commit, files, source: join(work, 'source'), made: join(work, 'made') })
      await rename(join(work, 'made'), out)
      await rm(work, { recursive: true, force: true })
    })
    return out
  } catch (error) {
    throw explainPull(error, { hub, id, signal })
  }
}

/** A commit may go where the history of a model is written anew. */
function explainGone(error: unknown, commit: string, work: string): unknown {
  if (!(error instanceof InvalidRequestError) || error.path !== 'revision') return error
  const reason = `the commit ${commit}, which ${work} was begun with, is gone from the hub; remove that folder to begin anew`
  return new InvalidRequestError('revision', reason, { cause: error })
}

async function refuseExisting(out: string, work: string): Promise<void> {
  if (!(await exists(out))) return
  // A process that was killed after its last step has left texts beside the finished copy.
  if (!(await exists(join(work, 'made')))) await rm(work, { recursive: true, force: true })
  throw new InvalidRequestError('out', `${out} exists; remove it or choose another folder`)
}

function refuseGguf(id: string): InvalidRequestError {
  return new InvalidRequestError(
    'model',
    `${id}: GGUF files are pulled whole; then \`npx tessera-onnx quantize\` takes them`,
  )
}

interface Copy extends PullQuantizedOptions {
  readonly hub: Hub
  readonly commit: string
  readonly files: readonly RemoteFile[]
  /** Folder of texts, and of the one file of weights that is being quantised. */
  readonly source: string
  /** Folder that becomes `out`. */
  readonly made: string
}

async function makeCopy(copy: Copy): Promise<void> {
  const { files, source, made } = copy
  const { parts, configs } = await planCopy(copy)
  await copyTexts(copy, parts, configs)
  const kept = listKept(files)
  const shards = parts.flatMap((part) => part.shards.map((name) => ({ part, file: findFile(copy, part, name) })))
  await requireSpace(copy, [...kept, ...shards.map(({ file }) => file)], kept)
  const total = [...kept, ...shards.map(({ file }) => file)].reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (const file of kept) {
    await fetchFile(copy, file, join(made, file.path), before, total)
    before += file.size
  }
  const quantizer = new SliceQuantizer(copy.threads ?? 1, copy.signal)
  try {
    for (const { part, file } of shards) {
      if (!(await exists(join(made, file.path)))) {
        await fetchFile(copy, file, join(source, file.path), before, total)
        copy.onQuantize?.(file.path)
        await quantizeShard({ ...copy, part, path: file.path, quantizer })
      }
      // A process that was killed may have left it behind what was made of it.
      await rm(join(source, file.path), { force: true })
      before += file.size
      copy.onProgress?.({ stage: 'download', done: before, total, file: file.path })
    }
  } finally {
    await quantizer.close()
  }
  for (const part of parts) {
    await writeIndex(made, part)
    if (copy.blockSize === 'row') await nameRough(copy, part)
  }
}

/**
 * Downloads the texts, which say what is quantised and what is written instead of them.
 *
 * @throws ModelFormatError for what cannot be quantised, which leaves nothing behind
 */
async function planCopy(copy: Copy) {
  const { files, source } = copy
  const texts = files.filter(({ path }) => !path.endsWith('.safetensors'))
  for (const file of texts) await fetchFile(copy, file, join(source, file.path), 0, 0)
  try {
    const parts = await planParts(openFolder(source), files)
    const configs = new Map<string, string>()
    for (const part of parts) configs.set(join(part.folder, part.storage), await describePart(copy, part))
    return { parts, configs }
  } catch (error) {
    // With what is wrong in the repository there is nothing to go on with; a file that the disk refuses now is there later.
    const isAtFault = error instanceof ModelFormatError && !('syscall' in Object(error.cause))
    if (isAtFault) await rm(dirname(source), { recursive: true })
    throw error
  }
}

/** Which matrices stay in blocks is known once all of them have been seen, by this process or one before it. */
async function nameRough(copy: Copy, part: QuantizedPart): Promise<void> {
  const rough = await listRough(copy.made, part)
  if (rough.length === 0) return
  await writeFile(join(copy.made, part.folder, part.storage), await describePart(copy, part, rough))
  copy.onRough?.(rough.map((name) => join(part.folder, name)))
}

async function describePart(
  { source, bits, blockSize }: Copy,
  { folder, storage }: QuantizedPart,
  rough: readonly string[] = [],
): Promise<string> {
  const path = join(source, folder)
  return describeQuantized(openFolder(path), { folder: path, storage, bits, blockSize, rough })
}

/** All texts but those that say what is in which shard, and those that are others in the copy. */
async function copyTexts(
  { files, source, made }: Copy,
  parts: readonly QuantizedPart[],
  configs: ReadonlyMap<string, string>,
): Promise<void> {
  const indexes = parts.map(({ folder, index }) => index && join(folder, index))
  for (const { path } of files) {
    if (path.endsWith('.safetensors') || indexes.includes(join(path))) continue
    const to = join(made, path)
    await mkdir(dirname(to), { recursive: true })
    const text = configs.get(join(path))
    await (text === undefined ? copyFile(join(source, path), to) : writeFile(to, text))
  }
}

function findFile({ files }: Copy, { folder }: QuantizedPart, name: string): RemoteFile {
  return files.find(({ path }) => path === (folder === '' ? name : `${folder}/${name}`))!
}

/** Downloads a file to where it is not yet. */
async function fetchFile(copy: Copy, file: RemoteFile, blob: string, before: number, total: number): Promise<void> {
  if (await exists(blob)) return
  const { hub, id, commit, signal, onRetry, onProgress } = copy
  const onBytes = (bytes: number) => {
    if (total > 0) onProgress?.({ stage: 'download', done: before + bytes, total, file: file.path })
  }
  await downloadBlob({ hub, id, commit, file, blob, signal, onBytes, onRetry })
}

/** What is surely needed: the largest file that is still to come, and what 32-bit weights would become of all of them. */
async function requireSpace(
  { id, source, made, bits }: Copy,
  files: readonly RemoteFile[],
  kept: readonly RemoteFile[],
): Promise<void> {
  let copies = 0
  let largest = 0
  for (const file of files) {
    if (await exists(join(made, file.path))) continue
    const isKept = kept.includes(file)
    copies += isKept ? file.size : (file.size * bits) / 32
    const have = Math.max(await sizeOf(join(source, file.path)), await sizeOf(partialOf(join(source, file.path))))
    if (!isKept) largest = Math.max(largest, file.size - have)
  }
  await checkSpace(id, dirname(source), copies + largest)
}
