export { type Decider, type DecisionJob, type DecisionOutput, type TokenCount } from './decider.ts'
export { openDecider } from './open-decider.ts'
export { chooseSmoothing } from './smoothing/choose-smoothing.ts'
