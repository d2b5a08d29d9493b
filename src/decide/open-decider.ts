import type { Backend } from '../backends/backend.ts'
import { findFamily, readModelConfig } from '../models/configs/model-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import type { Decider } from './decider.ts'
import type { DeciderOptions } from './decision-family.ts'
import { DECISION_FAMILIES } from './families.ts'

interface Opened extends DeciderOptions {
  readonly backend: Backend
  readonly files: ModelFiles
}

/**
 * Opens a decision model by what its `config.json` says it is.
 *
 * @throws ModelFormatError naming an architecture that is not known, or the file that is missing or wrong
 */
export async function openDecider({ backend, files, symbols = {}, kept }: Opened): Promise<Decider> {
  const config = await readModelConfig(files)
  const { open, unread } = findFamily(DECISION_FAMILIES, config)
  return open({ backend, files, config, unread, symbols, kept })
}
