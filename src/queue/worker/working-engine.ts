import type { Engine } from '../../engine/index.ts'

/** What an engine must do to work for a queue. */
export type WorkingEngine = Pick<
  Engine,
  'decide' | 'countTokens' | 'generateImage' | 'editImage' | 'models' | 'activity'
>
