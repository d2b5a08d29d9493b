import { splitChoice } from '../gguf/choose-gguf.ts'
import { EMBEDDED_MODELS } from './embedded-models.ts'
import { isHubId } from './hub-cache.ts'
import { expandName } from './known-models.ts'

const EMBEDDED = new Set(Object.entries(EMBEDDED_MODELS).flat())

/** Whether a name by itself says which model is meant: one of this package, or one of the hub, be it downloaded or not. */
export function isModelName(name: string): boolean {
  return EMBEDDED.has(name) || isHubName(name)
}

/** Whether a name is that of a model of the hub, in one of the forms that `tessera pull` takes: `owner/name`, `owner/name:part`, or a short one. */
export function isHubName(name: string): boolean {
  return isHubId(splitChoice(expandName(name)).id)
}
