/** What is wrong with a value, and where inside that value. Becomes a zod issue, then an `InvalidRequestError`. */
export class Fault extends Error {
  readonly path: readonly string[]
  /** What lies below the path inside a state or a text, whose member names are the caller's content. */
  readonly inside: readonly string[]

  constructor(path: readonly string[], reason: string, inside: readonly string[] = []) {
    super(reason)
    this.path = path
    this.inside = inside
  }
}

/** Puts a name in front of the path of a fault. */
export function under<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Fault) throw new Fault([name, ...error.path], error.message, error.inside)
    throw error
  }
}

/** Names the kind of a value without showing it: errors must not carry request content. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return isPlainObject(value) ? 'an object' : 'an instance of a class'
  return `a ${typeof value}`
}

/** As `kindOf`, but shows numbers: a number out of range helps the reader and gives nothing away. */
export function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value)
}

/** True for what `JSON.parse` and object literals make, from any realm, and for objects without a prototype. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US')
}
