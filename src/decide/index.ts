export { type Decider, type TokenCount } from './decider.ts'
export { openDecider } from './open-decider.ts'
