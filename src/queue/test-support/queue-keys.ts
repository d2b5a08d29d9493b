import { randomBytes } from 'node:crypto'

/** Keys that a front and its workers share. */
export const keys = `k1:${randomBytes(32).toString('base64')}`
