/** Why something was given up that another program was asked for. Its words are this package's own, and have nothing of a request. */
export class LateError extends Error {
  override readonly name = 'LateError'

  /** @param whom what was asked, such as `the store` */
  constructor(whom: string, milliseconds: number) {
    super(`${whom} did not answer within ${milliseconds} ms`)
  }
}
