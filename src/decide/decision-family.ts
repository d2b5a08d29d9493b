import type { Backend } from '../backends/backend.ts'
import type { Family, ModelConfig } from '../models/configs/model-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import type { Decider } from './decider.ts'
import type { KeptStates } from './kept/kept-states.ts'

/** How models that answer with letters, digits or yes and no are read; others are read as ever. */
export interface SymbolOptions {
  /** Asks every question a second time with its options from the last to the first. @defaultValue false */
  readonly bothOrders?: boolean
  /** Says how probable the symbols are among all that could be written. @defaultValue false */
  readonly symbolMass?: boolean
}

/** How an engine has models opened. */
export interface DeciderOptions {
  readonly symbols?: SymbolOptions | undefined
  /** Where models that read a state by itself keep what they read. @defaultValue nothing is kept */
  readonly kept?: KeptStates | undefined
}

/** A checkpoint whose architecture is known, about to be opened. */
export interface DecisionBundle {
  readonly backend: Backend
  readonly files: ModelFiles
  readonly config: ModelConfig
  /** `unread` of its family. */
  readonly unread: readonly RegExp[]
  readonly symbols: SymbolOptions
  readonly kept?: KeptStates | undefined
}

/** A row of the registry of decision models. */
export interface DecisionFamily extends Family {
  /** Names of tensors that published checkpoints carry and nothing is computed from; all others have to be read. */
  readonly unread: readonly RegExp[]
  /**
   * Reads the rest of the checkpoint and makes its graphs and sessions.
   *
   * @throws ModelFormatError naming the file that is missing or wrong, or what it asks for and is not supported
   */
  open(bundle: DecisionBundle): Promise<Decider>
}
