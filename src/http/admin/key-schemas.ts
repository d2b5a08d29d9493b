import * as z from 'zod'
import { SCOPES } from '../keys/scopes.ts'

const limit = z.int().min(1).optional()
const scopes = z.array(z.enum(SCOPES)).min(1)
const settings = {
  models: z.array(z.string()).min(1).optional(),
  expires: z.iso
    .datetime({ offset: true, error: 'must be a time with its zone, such as 2027-01-31T00:00:00Z' })
    .optional(),
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrency: limit,
  free_tokens: z.int().min(0).optional(),
  /** EUR that were ever paid in, as a decimal string. */
  prepaid: z.string().optional(),
}

/** Body of `POST /v1/admin/keys`; limits and money that it leaves out are those of the account, all else is the key's own. */
export const newKeySchema = z.strictObject({
  account: z.string().min(1).max(200).optional(),
  scopes: scopes.optional(),
  ...settings,
  expires: settings.expires.refine((time) => !(Date.parse(time ?? '') <= Date.now()), 'must be in the future'),
})

export const revocationSchema = z.strictObject({ name: z.string() })

const DAY_SECONDS = 86_400
/** Ten years: a key without an end is revoked when its time has come. */
const LONGEST_OVERLAP_SECONDS = 3650 * DAY_SECONDS

/** For how long both keys hold; default a day. */
export const rotationSchema = z.strictObject({
  name: z.string(),
  overlap_seconds: z.int().min(0).max(LONGEST_OVERLAP_SECONDS).default(DAY_SECONDS),
})

/** EUR as a decimal string. */
export const topUpSchema = z.strictObject({ account: z.string(), amount: z.string() })

/** A key that was just made: the only time that it is shown. */
export const madeKeySchema = z.object({ key: z.string(), name: z.string(), account: z.string() })

export const changedSchema = z.object({
  account: z.string(),
  /** Of the key that ended. */
  name: z.string().optional(),
  /** EUR that were ever paid in. */
  prepaid: z.string().optional(),
})

export const keyListSchema = z.object({
  keys: z.array(
    z.object({
      name: z.string(),
      /** How the key begins. */
      prefix: z.string().optional(),
      account: z.string(),
      scopes,
      created: z.string().optional(),
      ...settings,
    }),
  ),
})
