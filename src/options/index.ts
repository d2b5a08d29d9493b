export { amount, callback, count, flag, mapOf, oneOf, text, withMethods } from './option-kinds.ts'
export { optionTable, readOption, readOptions } from './read-options.ts'
