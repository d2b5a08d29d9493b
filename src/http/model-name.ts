import { isHubName } from '../models/find/is-model-name.ts'

/** A model that was configured by its path is shown by the name of its folder: paths are the machine's own business. */
export function modelName(id: string): string {
  return isHubName(id) ? id : (id.split(/[\\/]/).findLast((part) => part !== '') ?? id)
}
