/** True for a body that has the field of the other wire and not the field of this one. */
export function hasOnly(body: unknown, other: string, own: string): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, other) && !Object.hasOwn(body, own)
}
