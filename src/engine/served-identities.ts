import { UNVERSIONED } from '../decide/manifest.ts'
import { describeIdentity, type OwnCalibration } from '../decide/own-calibration.ts'
import { InvalidRequestError } from '../errors/index.ts'
import type { TaskSource } from './worker/task.ts'

type Identity = OwnCalibration['model']

/** What the decision models of an engine are, by folder: those that are there. */
export async function identifyServed(source: TaskSource): Promise<ReadonlyMap<string, Identity>> {
  const served = new Map<string, Identity>()
  for (const name of source.names) {
    try {
      const found = await source.resolve(name)
      const { identity } = await source.describe(found)
      if (identity) served.set(found.folder, identity)
    } catch {
      // A model that is not there is told of by whoever asks for it.
    }
  }
  return served
}

/** Where models are that a calibration cannot tell apart. */
export function foldersOf(model: Identity, served: ReadonlyMap<string, Identity>): string[] {
  const wanted = describeIdentity(model)
  return [...served].flatMap(([folder, identity]) => (describeIdentity(identity) === wanted ? [folder] : []))
}

/**
 * Folders of one name and version hold the same model. Where there is no version, they may hold checkpoints of two trainings.
 *
 * @throws InvalidRequestError naming `field` and the folders
 */
export function requireTold(field: string, model: Identity, folders: readonly string[]): void {
  if (model.version !== UNVERSIONED || folders.length < 2) return
  const reason = `needs one model that is ${describeIdentity(model)}, got ${folders.join(' and ')}: checkpoints without a tessera.json are known by their names only`
  throw new InvalidRequestError(field, `${reason}. Serve one of them, or rename its folder and calibrate anew`)
}
