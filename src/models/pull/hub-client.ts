import { readFile } from 'node:fs/promises'
import { InvalidRequestError } from '../../errors/index.ts'
import { type Environment, hubTokenFile } from '../find/hub-cache.ts'
import { pause } from './pause.ts'
import { delayBefore, describeCause, type PullRetry, refusePassing } from './retry.ts'

/** A hub, and the account that asks it. */
export interface Hub {
  readonly hubUrl: string
  /** Whether it asks as an account. */
  readonly hasToken: boolean
  /** Carries the caller's signal and token, and goes through the proxy that the environment names. */
  readonly fetch: typeof fetch
}

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']

/** What fits into a header. The hub's own begin with hf_, those of mirrors do not. */
const TOKEN = /^[\x21-\x7e]+$/

/**
 * The hub that `HF_ENDPOINT` names, as whom `HF_TOKEN` or the hub's own tools say.
 *
 * @throws InvalidRequestError for a token that is none; never shows it, as errors of a header do
 */
export async function connect(env: Environment, signal: AbortSignal | undefined): Promise<Hub> {
  const token = await readToken(env)
  const hubUrl = (env['HF_ENDPOINT'] || 'https://huggingface.co').replace(/\/+$/, '')
  const send = asAccount(await chooseFetch(env), token, hubUrl)
  return {
    hubUrl,
    hasToken: token !== '',
    fetch: (input, init) => send(input, signal ? { ...init, signal } : init),
  }
}

/** The hub's library would send the token itself, but refuses those of mirrors. */
function asAccount(send: typeof fetch, token: string, hubUrl: string): typeof fetch {
  if (token === '') return send
  return (input, init) => {
    // A hub names its next pages itself, and may write its address otherwise than whoever asks it.
    if (originOf(input instanceof Request ? input.url : input) !== originOf(hubUrl)) return send(input, init)
    const headers = Object.fromEntries(new Headers(init?.headers))
    return send(input, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } })
  }
}

function originOf(url: string | URL): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

async function readToken(env: Environment): Promise<string> {
  const file = hubTokenFile(env)
  const given = env['HF_TOKEN']
  const token = (given || (await readFile(file, 'utf8').catch(() => ''))).trim()
  if (token === '' || TOKEN.test(token)) return token
  const where = given ? '' : `, which ${file} has to hold`
  throw new InvalidRequestError('HF_TOKEN', `must be one token of the hub, ASCII characters without spaces${where}`)
}

/** The same hub for its lists of files, whose requests are tried again where the connection fails or the hub says "later". */
export function patient(
  hub: Hub,
  signal: AbortSignal | undefined,
  onRetry: ((retry: PullRetry) => void) | undefined,
): Hub {
  return {
    ...hub,
    fetch: async (input, init) => {
      for (let tries = 0; ; tries++) {
        try {
          const response = await hub.fetch(input, init)
          refusePassing(response)
          return response
        } catch (error) {
          const delay = signal?.aborted ? undefined : delayBefore(tries, error)
          if (delay === undefined) throw error
          onRetry?.({ file: 'the list of files', reason: describeCause(error), delay })
          await pause(delay, signal)
        }
      }
    },
  }
}

/** Node's own `fetch` reads no proxy variables before version 24, so undici's does where one is set. */
async function chooseFetch(env: Environment): Promise<typeof fetch> {
  const [httpsProxy, httpProxy] = [
    env['https_proxy'] ?? env['HTTPS_PROXY'],
    env['http_proxy'] ?? env['HTTP_PROXY'],
  ].map((proxy) => proxy || undefined)
  if (!PROXY_VARIABLES.some((name) => env[name])) return (input, init) => fetch(input, init)
  const undici = await import('undici')
  const noProxy = env['no_proxy'] ?? env['NO_PROXY']
  const dispatcher = new undici.EnvHttpProxyAgent({
    ...(httpsProxy && { httpsProxy }),
    ...(httpProxy && { httpProxy }),
    ...(noProxy && { noProxy }),
  })
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>
  return (input, init) => send(input instanceof Request ? input.url : input, { ...init, dispatcher })
}
