import { EMBEDDED_MODELS } from './embedded-models.ts'
import { isHubId } from './hub-cache.ts'

const EMBEDDED = new Set(Object.entries(EMBEDDED_MODELS).flat())

/** Whether a name by itself says which model is meant: one of this package, or one of the hub, be it downloaded or not. */
export function isModelName(name: string): boolean {
  return EMBEDDED.has(name) || isHubId(name)
}
