import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { InvalidRequestError, ModelFormatError, type TesseraError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import { readFileState } from '../files/file-state.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { findInHubCache, isHubId } from '../find/hub-cache.ts'
import { isModelPath } from '../find/is-model-path.ts'
import { indexFiles } from '../weights/index-weights.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { ADAPTER_FILE, readAdapterConfig, readMetadataScales } from './adapter-config.ts'
import { joinChanges, type Lora, readChanges } from './read-changes.ts'
import { countNumbers, requireRoomOfChanges, requireRoomTogether } from './require-room.ts'

/** An adapter that is chosen for a call, and how strong it is: 1 is as it was trained. */
export interface ChosenLora {
  /** Path that begins with `/`, `./`, `../` or a drive, of a folder or safetensors file, or the hub id of a downloaded one. */
  readonly path: string
  readonly scale: number
  /** Name of the model that has it always, as the options say; absent of one that a call chose. */
  readonly of?: string
  /** What its files are, which tells them from those that take their place later; see `readLoraState`. */
  readonly state?: string | undefined
}

const PEFT_FILE = 'adapter_model.safetensors'
/** The file that diffusers writes into a folder. */
const DIFFUSERS_FILE = 'pytorch_lora_weights.safetensors'

/** Files of weights that adapters are not read from. */
const OTHER_FORMAT = /\.(?:bin|pth?|ckpt|gguf)$/i

/** What opendecider writes beside its adapters: how a language model with one is asked. */
export const ASKING_FILE = 'opendecider.json'

/** The part of an image bundle that adapters are for; of other models it is the model itself. */
const CHANGED_PART = 'transformer'

/** The same files, of which graphs compute with the changes of adapters. */
export function withLora(files: ModelFiles, loras: readonly ChosenLora[]): ModelFiles {
  return {
    ...files,
    async changes(weights) {
      const base = { location: files.location, weights }
      const owner = ownerOf(loras)
      const opened = await Promise.all(loras.map((lora) => openLora(lora, loras)))
      requireRoomTogether(
        opened.reduce((sum, { tensors }) => sum + countNumbers(tensors.weights), 0),
        owner,
      )
      const all = opened.map((lora, index) => readChanges(lora, base, loras[index]!.scale))
      const changes = joinChanges(await Promise.all(all))
      requireRoomOfChanges(changes, owner)
      return changes
    },
    async readText(name) {
      const own = await files.readText(name)
      return own ?? (name === ASKING_FILE ? readAsking(loras) : undefined)
    },
    within: (name) => (name === CHANGED_PART ? withLora(files.within(name), loras) : files.within(name)),
  }
}

async function readAsking(loras: readonly ChosenLora[]): Promise<string | undefined> {
  for (const lora of loras) {
    const { folder, name } = await findLora(lora, loras)
    const text = name === PEFT_FILE ? await openFolder(folder).readText(ASKING_FILE) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

/** Bytes of the files of adapters. @throws InvalidRequestError naming one of a call that is not there, ModelFormatError one of the options */
export async function weighLoras(loras: readonly ChosenLora[]): Promise<number> {
  const sizes = loras.map(async (lora) => {
    const { folder, name } = await findLora(lora, loras)
    return (await openFolder(folder).findWeights(name))!.size
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** What tells the files of an adapter from others that take their place; undefined where there is none, which opening it says. */
export async function readLoraState(lora: ChosenLora): Promise<string | undefined> {
  const found = await findLora(lora, [lora]).catch(() => undefined)
  if (found === undefined) return undefined
  // The second one is read beside files of peft, and seldom there beside others.
  const paths = [found.name, ADAPTER_FILE].map((name) => join(found.folder, name))
  return JSON.stringify(await Promise.all(paths.map(readFileState)))
}

/** The name of the model whose adapters they are, where a call has none of its own to leave out. */
function ownerOf(loras: readonly ChosenLora[]): string | undefined {
  return loras.every(({ of }) => of !== undefined) ? loras[0]?.of : undefined
}

async function openLora(lora: ChosenLora, loras: readonly ChosenLora[]): Promise<Lora> {
  const { folder, name } = await findLora(lora, loras)
  const files = openFolder(folder)
  const tensors = await openTensors(files, await indexFiles(files, [name]))
  const config = name === PEFT_FILE ? await readAdapterConfig(files) : undefined
  return { tensors, scaleOf: config?.scaleOf ?? readMetadataScales(tensors.weights.metadata, join(folder, name)) }
}

/** @param all among which it has a number */
async function findLora(lora: ChosenLora, all: readonly ChosenLora[]): Promise<{ folder: string; name: string }> {
  const { path } = lora
  const isPath = isModelPath(path)
  const found = isPath ? resolve(path) : isHubId(path) ? await findInHubCache(path, process.env) : undefined
  if (found === undefined || !(await exists(found))) {
    const remedy = isHubId(path) && !isPath ? `; npx tessera-onnx pull ${path} downloads it` : ''
    throw notThere(lora, all, remedy)
  }
  if (found.endsWith('.safetensors')) return { folder: dirname(found), name: basename(found) }
  const files = await readdir(found).catch(() => [basename(found)])
  const names = files.filter((name) => name.endsWith('.safetensors'))
  const name = [PEFT_FILE, DIFFUSERS_FILE].find((name) => names.includes(name)) ?? names[0]
  if (name === undefined || (names.length > 1 && ![PEFT_FILE, DIFFUSERS_FILE].includes(name))) {
    const expected = `a safetensors file, or a folder with ${PEFT_FILE}, ${DIFFUSERS_FILE} or one such file`
    const others = files.filter((name) => OTHER_FORMAT.test(name)).slice(0, 4)
    const none =
      others.length > 0 ? `${others.join(', ')}, which is not read; peft and diffusers save safetensors` : 'none'
    throw new ModelFormatError(found, expected, name === undefined ? none : 'several; give the path of one')
  }
  return { folder: found, name }
}

/** What the options name is a fault of the service, which no caller can mend. */
function notThere({ path, of }: ChosenLora, all: readonly ChosenLora[], remedy: string): TesseraError {
  const number = all.filter((other) => other.of === of).findIndex((other) => other.path === path)
  const expected = 'the path of an adapter, which begins with /, ./ or ../, or the hub id of a downloaded one'
  const got = `'${path.slice(0, 200)}', which is not there${remedy}`
  return of === undefined
    ? new InvalidRequestError(`lora.${number}.path`, `must be ${expected}, got ${got}`)
    : new ModelFormatError(`loras.${of}.${number}.path`, expected, got)
}
