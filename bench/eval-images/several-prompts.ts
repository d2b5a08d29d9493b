import { article } from './article.ts'
import type { Square, Turns, Wanted } from './wanted.ts'

/** Where the recipe puts several objects: see `GROUPS` in `models/image-mini/recipe/tasks.py`. */
const THREE: readonly Square[] = [
  [0, 0, 128],
  [128, 0, 128],
  [64, 128, 128],
]
const FOUR: readonly Square[] = [
  [0, 0, 128],
  [128, 0, 128],
  [0, 128, 128],
  [128, 128, 128],
]
const FIVE: readonly Square[] = [
  [32, 32, 64],
  [160, 32, 64],
  [96, 96, 64],
  [32, 160, 64],
  [160, 160, 64],
]
const COUNTED = 'apple heart star dog cat balloon donut car tree pizza crown frog'.split(' ')
/** How several things are told, between all and before the last one; `a dog, a cat and a key` is `listSeveral`. */
const JOINS = [
  [' and ', ' and '],
  [', ', ', '],
  [', ', ', and '],
] as const
/** How many there are of two kinds of things. */
const MIXED = [
  [2, 1],
  [1, 2],
  [2, 2],
  [3, 1],
] as const
const NUMBERS = ['', '', 'two', 'three']

export function listSeveral({ object, colour, style, on }: Turns): Wanted[] {
  return Array.from({ length: 12 }, (_, i) => {
    const squares = i % 2 === 0 ? THREE : FOUR
    const names = squares.map((_, place) => object(5 * i + 9 * place))
    return {
      prompt: `${tellAll(names, style(i))} ${on(i + 3)}`,
      objects: names.map((name, place) => ({ name, square: squares[place]! })),
      background: colour(i + 3),
    }
  })
}

export function listCounted({ colour, style, on }: Turns): Wanted[] {
  return Array.from({ length: 12 }, (_, i) => {
    const squares = i % 2 === 0 ? THREE : FOUR
    const name = COUNTED[i]!
    return {
      prompt: `${i % 2 === 0 ? 'three' : 'four'} ${style(i)} ${name}s ${on(i + 4)}`,
      objects: squares.map((square) => ({ name, square })),
      background: colour(i + 4),
    }
  })
}

export function listFive({ colour, style, on }: Turns): Wanted[] {
  return COUNTED.map((name, i) => ({
    prompt: `five ${style(i)} ${name}s ${on(i + 4)}`,
    objects: FIVE.map((square) => ({ name, square })),
    background: colour(i + 4),
  }))
}

/** Three and four different things, told in other ways. */
export function listJoined(turns: Turns): Wanted[] {
  return listSeveral(turns).map((wanted, i) => {
    const [between, last] = JOINS[i % JOINS.length]!
    const names = wanted.objects.map(({ name }) => article(name))
    const said = `${names.slice(0, -1).join(between)}${last}${names.at(-1)!}`
    return { ...wanted, prompt: `${said} ${turns.on(i + 3)}` }
  })
}

/** Things of two kinds, of which there are several. */
export function listMixed({ colour, on }: Turns): Wanted[] {
  return COUNTED.map((name, i) => {
    const kinds = [name, COUNTED[(i + 5) % COUNTED.length]!]
    const counts = MIXED[i % MIXED.length]!
    const said = kinds.map((kind, at) => (counts[at] === 1 ? article(kind) : `${NUMBERS[counts[at]!]} ${kind}s`))
    const all = kinds.flatMap((kind, at) => Array<string>(counts[at]!).fill(kind))
    const squares = all.length === 3 ? THREE : FOUR
    return {
      prompt: `${said.join(' and ')} ${on(i + 5)}`,
      objects: all.map((kind, at) => ({ name: kind, square: squares[at]! })),
      background: colour(i + 5),
    }
  })
}

/** Five different things. */
export function listFiveKinds({ object, colour, style, on }: Turns): Wanted[] {
  return Array.from({ length: 12 }, (_, i) => {
    const names = FIVE.map((_, at) => object(7 * i + 31 * at))
    return {
      prompt: `${tellAll(names, style(i))} ${on(i + 6)}`,
      objects: names.map((name, at) => ({ name, square: FIVE[at]! })),
      background: colour(i + 6),
    }
  })
}

/** `a flat dog, a cat and a key`: the style is said of the first. */
function tellAll(names: readonly string[], style: string): string {
  const told = names.map((name, at) => article(at === 0 ? `${style} ${name}` : name))
  return `${told.slice(0, -1).join(', ')} and ${told.at(-1)!}`
}
