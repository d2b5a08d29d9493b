/** How a ggml type keeps its numbers: so many of them in so many bytes. */
export interface GgmlType {
  readonly name: string
  readonly elements: number
  readonly bytes: number
}

/** The types that are read, by their number in a file (`ggml_type`). */
export const GGML_TYPES: ReadonlyMap<number, GgmlType> = new Map([
  [0, { name: 'F32', elements: 1, bytes: 4 }],
  [1, { name: 'F16', elements: 1, bytes: 2 }],
  [2, { name: 'Q4_0', elements: 32, bytes: 18 }],
  [3, { name: 'Q4_1', elements: 32, bytes: 20 }],
  [6, { name: 'Q5_0', elements: 32, bytes: 22 }],
  [7, { name: 'Q5_1', elements: 32, bytes: 24 }],
  [8, { name: 'Q8_0', elements: 32, bytes: 34 }],
  [12, { name: 'Q4_K', elements: 256, bytes: 144 }],
  [13, { name: 'Q5_K', elements: 256, bytes: 176 }],
  [14, { name: 'Q6_K', elements: 256, bytes: 210 }],
  [30, { name: 'BF16', elements: 1, bytes: 2 }],
])

/** Types that are known by name only, to refuse them by it. */
const UNREAD: Readonly<Record<number, string>> = {
  9: 'Q8_1',
  10: 'Q2_K',
  11: 'Q3_K',
  15: 'Q8_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  20: 'IQ4_NL',
  21: 'IQ3_S',
  22: 'IQ2_S',
  23: 'IQ4_XS',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  31: 'Q4_0_4_4',
  32: 'Q4_0_4_8',
  33: 'Q4_0_8_8',
  34: 'TQ1_0',
  35: 'TQ2_0',
  36: 'IQ4_NL_4_4',
  37: 'IQ4_NL_4_8',
  38: 'IQ4_NL_8_8',
  39: 'MXFP4',
  40: 'NVFP4',
  41: 'Q1_0',
}

/** What a type that is not read is called in errors. */
export function nameUnread(type: number): string {
  return UNREAD[type] ?? `ggml_type ${type}`
}
