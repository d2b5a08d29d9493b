export { amount, callback, count, flag, mapOf, mustBe, oneOf, text, withMethods } from './option-kinds.ts'
export { optionTable, readOption, readOptions } from './read-options.ts'
