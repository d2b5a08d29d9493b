export { type DecideContext, type Decider } from './decider.ts'
export { openDecider } from './open-decider.ts'
export { type TokenCount } from './plan.ts'
