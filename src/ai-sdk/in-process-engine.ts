import { decide, editImage, type Engine, generateImage } from '../engine/index.ts'

/** What a provider asks of an engine. */
export type InProcessEngine = Pick<Engine, 'decide' | 'generateImage' | 'editImage'>

/** The engine that the functions of the package share; it starts with the first call. */
export const sharedEngine: InProcessEngine = { decide, generateImage, editImage }
