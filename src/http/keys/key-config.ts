import * as z from 'zod'
import { count, flag } from '../../options/index.ts'
import { SCOPES } from './scopes.ts'

const scopeNames = { error: `must be an array of ${SCOPES.join(', ')}` }
const text = (form: string) => ({ error: `must be ${form}, as a string` })

/** Settings of one key, as a keys file and `createServer` take them. Give the key itself, or the SHA-256 of it. */
export const keyConfigSchema = z
  .strictObject({
    /**
     * Visible ASCII characters.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret' }] })
     * ```
     */
    key: z
      .string(text('visible ASCII characters'))
      .regex(/^[\x21-\x7e]+$/, text('visible ASCII characters'))
      .optional(),
    /**
     * SHA-256 of the key, in hexadecimal.
     *
     * @example
     * ```ts
     * const sha256 = createHash('sha256').update('a-long-secret').digest('hex')
     * const server = createServer({ engine, keys: [{ sha256 }] })
     * ```
     */
    sha256: z
      .string(text('64 hexadecimal digits'))
      .regex(/^[0-9a-f]{64}$/i, text('64 hexadecimal digits'))
      .optional(),
    /**
     * Name of the account; default `key_` and the first 12 digits of the SHA-256. Keys of one name have equal settings.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', id: 'shop' }] })
     * ```
     */
    id: z
      .string(text('1 to 200 characters'))
      .min(1, text('1 to 200 characters'))
      .max(200, text('1 to 200 characters'))
      .optional(),
    /**
     * What it may be used for; default `decide` and `images`.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', scopes: ['decide'] }] })
     * ```
     */
    scopes: z.array(z.enum(SCOPES, scopeNames)).min(1, scopeNames).readonly().optional(),
    /**
     * Names of models that its requests may give; default all. A request without a name counts as that of the default.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', models: ['decide-latest'] }] })
     * ```
     */
    models: z
      .array(z.string(text('a name')), 'must be an array of names')
      .min(1, 'must have a name')
      .readonly()
      .optional(),
    /**
     * It is refused with 401 from then on; by the clock of the server, such as `2027-01-31T00:00:00Z`.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', expires: '2027-01-31T00:00:00Z' }] })
     * ```
     */
    expires: z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' }).optional(),
    /**
     * More are refused with 429; default the server's `limits`.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', requestsPerMinute: 60 }] })
     * ```
     */
    requestsPerMinute: count(1).optional(),
    /**
     * Input tokens of decisions; more are refused with 429. Default the server's `limits`.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', tokensPerMinute: 100_000 }] })
     * ```
     */
    tokensPerMinute: count(1).optional(),
    /**
     * Requests at the same time; more are refused with 429. Default the server's `limits`, 32 where these name none.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', concurrency: 4 }] })
     * ```
     */
    concurrency: count(1).optional(),
    /**
     * Input tokens a calendar month that cost nothing.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', freeTokens: 1_000_000 }] })
     * ```
     */
    freeTokens: count(0).optional(),
    /**
     * EUR paid in, as a decimal string.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', prepaid: '25.00' }] })
     * ```
     */
    prepaid: z
      .string(text("an amount such as '25.00'"))
      .regex(/^\d{1,9}(\.\d{1,12})?$/, text("an amount such as '25.00'"))
      .optional(),
    /**
     * When it was made, for people.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', created: '2026-11-23T12:00:00Z' }] })
     * ```
     */
    created: z.iso.datetime().optional(),
    /**
     * How the key begins, for people.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', prefix: 'a-long' }] })
     * ```
     */
    prefix: z.string(text('1 to 16 characters')).max(16, text('1 to 16 characters')).optional(),
    /**
     * Set for a key that was made without being asked for: servers that other machines reach refuse the file.
     *
     * @example
     * ```ts
     * const server = createServer({ engine, keys: [{ key: 'a-long-secret', loopback: true }] })
     * ```
     */
    loopback: flag.optional(),
  })
  .refine(({ key, sha256 }) => (key === undefined) !== (sha256 === undefined), 'needs either key or sha256')

/** Settings of one key, as `createServer({ keys })` and a keys file take them: `key` or `sha256`, and what it may do. */
export type KeyConfig = z.input<typeof keyConfigSchema>
