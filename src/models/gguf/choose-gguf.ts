import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelFormatError } from '../../errors/index.ts'
import { partNames } from './gguf-file.ts'
import { isGgufPath, LATER_PART } from './gguf-path.ts'

/** Parts for pictures of models that are read without them. */
const PROJECTOR = /(?:^|\/)mmproj[^/]*$/i
/** File names in an error. */
const MOST_NAMED = 40

/**
 * The models among GGUF files that a path, or a part of one, fits; of a divided one its first part.
 *
 * @param wanted @defaultValue all
 */
export function fittingGguf(paths: readonly string[], wanted = ''): string[] {
  const all = paths.filter((path) => isGgufPath(path) && !LATER_PART.test(path) && !PROJECTOR.test(path)).toSorted()
  const part = wanted.toLowerCase()
  const exact = all.filter((path) => path.toLowerCase() === part)
  return exact.length > 0 ? exact : all.filter((path) => path.toLowerCase().includes(part))
}

/**
 * Chooses a model among the GGUF files of a repository, of which most have the same model in many sizes.
 *
 * @param paths of files, `/` between folders
 * @param wanted path of one, or a part of its name that no other has, such as `Q4_K_M`. @defaultValue the only one
 * @param where they are, for errors
 * @returns the paths of its files, the first part of a divided one first
 * @throws ModelFormatError naming all that there are
 */
export function chooseGguf(paths: readonly string[], wanted: string | undefined, where: string): string[] {
  const found = fittingGguf(paths, wanted)
  const [path, ...others] = found
  if (path === undefined || others.length > 0) {
    const some = (found.length > 0 ? found : fittingGguf(paths)).slice(0, MOST_NAMED).join(', ')
    const expected = `${where}:NAME, a part of the name of one GGUF file`
    throw new ModelFormatError(
      where,
      expected,
      `${wanted === undefined ? '' : `${wanted.slice(0, 200)} of `}${some || 'no GGUF file'}`,
    )
  }
  const [folder, name] = [path.slice(0, path.lastIndexOf('/') + 1), path.slice(path.lastIndexOf('/') + 1)]
  return partNames(name).map((one) => `${folder}${one}`)
}

/** GGUF files in a folder and those below, `/` between folders. */
export async function listGguf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => [])
  return names.filter(isGgufPath).map((name) => name.replaceAll('\\', '/'))
}

/** Path of the GGUF file in a folder, chosen as `chooseGguf` does. */
export async function findGguf(folder: string, wanted: string | undefined, where: string): Promise<string> {
  return join(folder, chooseGguf(await listGguf(folder), wanted, where)[0]!)
}

/** `owner/name:part` as the name and which of its GGUF files is meant. By hand, as a request may name megabytes, and a pattern takes time that grows with their square. */
export function splitChoice(model: string): { readonly id: string; readonly wanted: string | undefined } {
  const colon = model.indexOf(':')
  const [id, wanted] = [model.slice(0, colon), model.slice(colon + 1)]
  const isChoice = colon > 0 && wanted !== '' && !wanted.includes(':') && id.slice(1, -1).includes('/')
  return isChoice ? { id, wanted } : { id: model, wanted: undefined }
}
