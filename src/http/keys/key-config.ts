import { z } from 'zod'

const count = z.int().min(1)

/** Settings of one key, as a keys file and `createServer` take them. Give the key itself, or the SHA-256 of it. */
export const keyConfigSchema = z.strictObject({
  /** Visible ASCII characters. */
  key: z.string().regex(/^[\x21-\x7e]+$/).optional(),
  /** SHA-256 of the key, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/i).optional(),
  /** Name of the account; default `key_` and the first 12 digits of the SHA-256. Keys of one name have equal settings. */
  id: z.string().min(1).max(200).optional(),
  /** More are refused with 429; default the server's `limits`. */
  requestsPerMinute: count.optional(),
  /** Requests at the same time; more are refused with 429. Default the server's `limits`, 32 where these name none. */
  concurrency: count.optional(),
  /** Input tokens a calendar month that cost nothing. */
  freeTokens: z.int().min(0).optional(),
  /** EUR paid in, as a decimal string. */
  prepaid: z.string().regex(/^\d{1,9}(\.\d{1,12})?$/).optional(),
}).refine(({ key, sha256 }) => (key === undefined) !== (sha256 === undefined), 'needs either key or sha256')

export type KeyConfig = z.input<typeof keyConfigSchema>
