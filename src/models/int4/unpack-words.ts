/** Which of eight neighbours is in each four bits of a word of AWQ, the lowest first. */
const AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7] as const
const PLAIN_ORDER = [0, 1, 2, 3, 4, 5, 6, 7] as const

const orderOf = (method: 'gptq' | 'awq') => (method === 'awq' ? AWQ_ORDER : PLAIN_ORDER)

/** Words [rows, width / 8] of eight neighbours each as levels [rows, width]. */
export function unpackNeighbours(words: Uint32Array, method: 'gptq' | 'awq'): Uint8Array {
  const order = orderOf(method)
  const levels = new Uint8Array(8 * words.length)
  for (let i = 0; i < words.length; i++) {
    for (let place = 0; place < 8; place++) levels[8 * i + order[place]!] = (words[i]! >>> (4 * place)) & 15
  }
  return levels
}

/**
 * Levels of outputs from `first` on, two in a byte, the earlier one in the lower half: [count, inputs / 2].
 *
 * @param words of GPTQ [inputs / 8, outputs], eight inputs each; of AWQ [inputs, outputs / 8], eight outputs each
 */
export function packOutputs(
  words: Uint32Array,
  { method, inputs, outputs }: { readonly method: 'gptq' | 'awq'; readonly inputs: number; readonly outputs: number },
  first: number,
  count: number,
): Uint8Array {
  const packed = new Uint8Array((count * inputs) / 2)
  const place = new Uint8Array(8)
  for (const [at, neighbour] of AWQ_ORDER.entries()) place[neighbour] = 4 * at
  const levelOf =
    method === 'gptq'
      ? (input: number, output: number) => words[(input >> 3) * outputs + output]! >>> (4 * (input & 7))
      : (input: number, output: number) => words[input * (outputs >> 3) + (output >> 3)]! >>> place[output & 7]!
  for (let i = 0; i < count; i++) {
    for (let input = 0; input < inputs; input += 2) {
      const low = levelOf(input, first + i) & 15
      const high = levelOf(input + 1, first + i) & 15
      packed[(i * inputs + input) / 2] = low | (high << 4)
    }
  }
  return packed
}
