/** What a prompt asks for, so that a picture can be checked against it. */
export interface Wanted {
  readonly prompt: string
  /** Objects by the square they should stand in. */
  readonly objects: readonly { readonly name: string; readonly square: Square }[]
  readonly background: string
  /** The colour at the bottom, where the background is a gradient. */
  readonly fade?: string
  readonly word?: string
  /** The word of a second line. */
  readonly below?: string
  /** The word's colour, where it is asked for. */
  readonly ink?: string
}

/** Left and top edge and side, in pixels of a picture of 256 x 256. */
export type Square = readonly [left: number, top: number, side: number]

/** What comes at a place of a list: objects, styles and colours, whose steps share no divisor, so that they mix evenly. */
export interface Turns {
  readonly objects: readonly string[]
  object(i: number): string
  colour(i: number): string
  style(i: number): string
  /** `on a red background` */
  on(i: number): string
}
