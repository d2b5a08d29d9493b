const SIZE = 624
const SHIFT = 397

/** MT19937 (Matsumoto and Nishimura 1998), seeded from 32 bits as its reference code does. */
export class MersenneTwister {
  readonly #state = new Uint32Array(SIZE)
  #next = SIZE

  constructor(seed: number) {
    this.#state[0] = seed
    for (let i = 1; i < SIZE; i++) {
      const previous = this.#state[i - 1]!
      this.#state[i] = Math.imul(previous ^ (previous >>> 30), 1_812_433_253) + i
    }
  }

  /** The next 32 random bits, as a whole number from 0. */
  next(): number {
    if (this.#next === SIZE) this.#twist()
    let y = this.#state[this.#next++]!
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  #twist(): void {
    const state = this.#state
    for (let i = 0; i < SIZE; i++) {
      const y = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff)
      state[i] = state[(i + SHIFT) % SIZE]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.#next = 0
  }
}
