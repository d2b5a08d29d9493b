export {
  amount,
  callback,
  count,
  flag,
  LONGEST_TIMER_MS,
  mapOf,
  mustBe,
  oneOf,
  text,
  withMethods,
  withoutGaps,
} from './option-kinds.ts'
export { optionTable, readOption, readOptions } from './read-options.ts'
