import { article } from './article.ts'
import { listCounted, listFive, listFiveKinds, listJoined, listMixed, listSeveral } from './several-prompts.ts'
import { listTexts, type TextTask } from './text-prompts.ts'
import type { Square, Turns, Wanted } from './wanted.ts'

/** Where the recipe puts objects: see `models/image-mini/recipe/scenes.py`. */
const BIG: Square = [24, 24, 208]
const PLACES: Readonly<Record<string, { readonly says: string; readonly square: Square }>> = {
  left: { says: 'on the left', square: [0, 64, 128] },
  right: { says: 'on the right', square: [128, 64, 128] },
  top: { says: 'at the top', square: [64, 0, 128] },
  bottom: { says: 'at the bottom', square: [64, 128, 128] },
  'top left': { says: 'in the top left corner', square: [0, 0, 128] },
  'bottom right': { says: 'in the bottom right corner', square: [128, 128, 128] },
}
const STYLES = ['3d', 'flat']

export const BACKGROUNDS: Readonly<Record<string, readonly [number, number, number]>> = {
  white: [255, 255, 255],
  black: [24, 24, 27],
  gray: [156, 163, 175],
  red: [239, 68, 68],
  orange: [251, 146, 60],
  yellow: [253, 224, 71],
  green: [74, 180, 100],
  blue: [59, 130, 246],
  purple: [147, 86, 220],
  pink: [249, 168, 212],
}

export type Task =
  | 'object'
  | 'place'
  | 'pair'
  | 'several'
  | 'joined'
  | 'count'
  | 'mixed'
  | 'five'
  | 'fiveKinds'
  | 'gradient'
  | TextTask

/** The same prompts every time. */
export function listPrompts(objects: readonly string[]): Record<Task, Wanted[]> {
  const colours = Object.keys(BACKGROUNDS)
  const colour = (i: number) => colours[(3 * i) % colours.length]!
  const turns: Turns = {
    objects,
    object: (i) => objects[i % objects.length]!,
    colour,
    style: (i) => STYLES[i % 2]!,
    on: (i) => `on ${article(colour(i))} background`,
  }
  return {
    object: listSingle(turns),
    place: listPlaced(turns),
    pair: listPairs(turns),
    several: listSeveral(turns),
    joined: listJoined(turns),
    count: listCounted(turns),
    mixed: listMixed(turns),
    five: listFive(turns),
    fiveKinds: listFiveKinds(turns),
    gradient: listGradients(turns),
    ...listTexts(turns),
  }
}

/** Every object once, in both styles in turns. */
function listSingle({ objects, object, colour, style, on }: Turns): Wanted[] {
  return Array.from({ length: objects.length }, (_, i) => ({
    prompt: `${article(`${style(i)} ${object(i)}`)} ${on(i)}`,
    objects: [{ name: object(i), square: BIG }],
    background: colour(i),
  }))
}

function listPlaced({ object, colour, style, on }: Turns): Wanted[] {
  return Array.from({ length: 18 }, (_, i) => {
    const { says, square } = Object.values(PLACES)[i % 6]!
    return {
      prompt: `a small ${style(i)} ${object(5 * i + 2)} ${says} ${on(i + 1)}`,
      objects: [{ name: object(5 * i + 2), square }],
      background: colour(i + 1),
    }
  })
}

function listPairs({ object, colour, style, on }: Turns): Wanted[] {
  return Array.from({ length: 18 }, (_, i) => {
    const [one, two] = [object(7 * i + 1), object(11 * i + 4)]
    const [first, second] = i % 3 === 2 ? (['top', 'bottom'] as const) : (['left', 'right'] as const)
    const says =
      first === 'top'
        ? `${article(`${style(i)} ${one}`)} above ${article(`${style(i)} ${two}`)}`
        : `${article(`${style(i)} ${one}`)} on the left and ${article(`${style(i)} ${two}`)} on the right`
    return {
      prompt: `${says} ${on(i + 2)}`,
      objects: [
        { name: one, square: PLACES[first]!.square },
        { name: two, square: PLACES[second]!.square },
      ],
      background: colour(i + 2),
    }
  })
}

function listGradients({ object, colour, style }: Turns): Wanted[] {
  return Array.from({ length: 12 }, (_, i) => ({
    prompt: `${article(`${style(i)} ${object(3 * i)}`)} on a gradient from ${colour(i)} to ${colour(i + 3)}`,
    objects: [{ name: object(3 * i), square: BIG }],
    background: colour(i),
    fade: colour(i + 3),
  }))
}

/** For the contact sheet of the model card: seeds are 0, 1, 2, ... */
export const SHEET_PROMPTS: readonly string[] = [
  'a 3d fox on a blue background',
  'a flat rocket on a black background',
  'a red apple',
  'a flat panda on a pink background',
  'a 3d blue car on a yellow background',
  'a flat guitar on a gray background',
  'a 3d hamburger on a green background',
  'a flat sunflower on a purple background',
  'a rainbow',
  'a puppy',
  'a 3d lion on the left and a 3d pizza on the right on a white background',
  'a flat yellow house above a flat tree on a blue background',
  'a flat frog and a flat balloon on an orange background',
  'a 3d dog next to a 3d gift on a pink background',
  'a small 3d penguin in the top right corner on a red background',
  'a small flat fish on the left on a white background',
  'five 3d hearts on a black background',
  'four flat strawberries on a yellow background',
  'the word "Hello" on a red background',
  'the word "Strawberries" on a white background',
  'a 3d star with the word "WOW" on a purple background',
  'a flat whale on a gradient from yellow to blue',
  '"Good" above "Night" on a blue background',
  'a 3d banana, a cactus and a violin on a green background',
]

/** Each starts from a picture of the contact sheet, named by its place in it. */
export const SHEET_EDITS: readonly { readonly of: number; readonly prompt: string }[] = [
  { of: 0, prompt: 'change the background to yellow' },
  { of: 2, prompt: 'replace the apple with a banana' },
  { of: 3, prompt: 'mirror the picture' },
  { of: 4, prompt: 'make the car green' },
  { of: 5, prompt: 'make the guitar 3d' },
  { of: 10, prompt: 'replace the pizza with a donut' },
  { of: 11, prompt: 'remove the tree' },
  { of: 13, prompt: 'make it black and white' },
  { of: 14, prompt: 'move the penguin to the bottom left corner' },
  { of: 15, prompt: 'add a ball on the right' },
  { of: 18, prompt: 'change the text to "Bye"' },
  { of: 6, prompt: 'turn the hamburger into a star' },
]
