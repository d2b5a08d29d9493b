import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'undici'

const USUAL = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  String.raw`C:\Program Files\Mozilla Firefox\firefox.exe`,
]

/** Path of a Firefox of this machine: `FIREFOX`, else one of the usual places; undefined where there is none. */
export function findFirefox(): string | undefined {
  return process.env.FIREFOX ?? USUAL.find((path) => existsSync(path))
}

export interface FirefoxPage {
  /** Errors, what the console says of them, and requests to other servers than that of the page. */
  readonly faults: string[]
  /** What a function gives in the page, both ways as JSON. It sees nothing of the test. One that imports is text, as the test runner rewrites imports. */
  run<A, R>(work: string | ((argument: A) => Promise<R>), argument: A): Promise<R>
  close(): Promise<void>
}

export interface Firefox {
  /** A tab of one session, which keeps what pages store. */
  open(url: string): Promise<FirefoxPage>
  close(): Promise<void>
}

type Json = Readonly<Record<string, unknown>>
type Listener = (method: string, params: Json) => void

/**
 * A Firefox without a window and with a profile of its own. Playwright drives only its own build of Firefox, and any other
 * by `eval` in the page, which a strict policy forbids; WebDriver BiDi needs neither.
 *
 * @param preferences as about:config shows them
 */
export async function launchFirefox(executablePath: string, preferences: Json = {}): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'tessera-firefox-'))
  const lines = Object.entries(preferences).map(
    (preference) => `user_pref(${JSON.stringify(preference).slice(1, -1)});`,
  )
  await writeFile(join(profile, 'user.js'), lines.join('\n'))
  const child = spawn(executablePath, ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile])
  const ended = once(child, 'exit')
  const driver = await connect(`${await readAddress(child)}/session`)
  await driver.send('session.new', { capabilities: {} })
  await driver.send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] })
  return {
    open: (url) => openPage(driver, url),
    async close() {
      await driver.send('browser.close', {})
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function readAddress({ stderr }: ChildProcess): Promise<string> {
  const said: string[] = []
  // Goes on reading to the end: a full pipe would stop the browser.
  const lines = createInterface(stderr!)
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line)
      const address = /WebDriver BiDi listening on (\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    lines.on('close', () => reject(new Error(`Firefox did not start: ${said.join('\n')}`)))
  })
}

interface Driver {
  send(method: string, params: Json): Promise<Json>
  readonly listeners: Set<Listener>
}

async function connect(address: string): Promise<Driver> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', ({ message }) => reject(new Error(message)))
  })
  const waiting = new Map<number, { resolve(result: Json): void; reject(error: Error): void }>()
  const listeners = new Set<Listener>()
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as Answer
    if (message.type === 'event') for (const listener of listeners) listener(message.method, message.params)
    else if (message.type === 'success') waiting.get(message.id)?.resolve(message.result)
    else waiting.get(message.id)?.reject(new Error(`${message.error}: ${message.message}`))
  })
  let last = 0
  return {
    listeners,
    send: (method, params) =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { resolve, reject })
        socket.send(JSON.stringify({ id: last, method, params }))
      }),
  }
}

type Answer =
  | { readonly type: 'event'; readonly method: string; readonly params: Json }
  | { readonly type: 'success'; readonly id: number; readonly result: Json }
  | { readonly type: 'error'; readonly id: number; readonly error: string; readonly message: string }

async function openPage(driver: Driver, url: string): Promise<FirefoxPage> {
  const { origin } = new URL(url)
  const faults: string[] = []
  const { context } = await driver.send('browsingContext.create', { type: 'tab' })
  const listener: Listener = (method, params) => {
    const fault = findFault(method, params, origin)
    if (fault !== undefined) faults.push(fault)
  }
  driver.listeners.add(listener)
  await driver.send('browsingContext.navigate', { context, url, wait: 'complete' })
  return {
    faults,
    async run<A, R>(work: string | ((argument: A) => Promise<R>), argument: A) {
      const functionDeclaration = `async (text) => JSON.stringify(await (${work})(JSON.parse(text)))`
      const { result, exceptionDetails } = (await driver.send('script.callFunction', {
        functionDeclaration,
        arguments: [{ type: 'string', value: JSON.stringify(argument ?? null) }],
        target: { context },
        awaitPromise: true,
      })) as { result?: { value?: string }; exceptionDetails?: { text: string } }
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
      return (result?.value === undefined ? undefined : JSON.parse(result.value)) as R
    },
    async close() {
      driver.listeners.delete(listener)
      await driver.send('browsingContext.close', { context })
    },
  }
}

/** One page is open at a time, so that all events are of it. */
function findFault(method: string, params: Json, origin: string): string | undefined {
  if (method === 'log.entryAdded')
    return params.level === 'error' ? `${String(params.type)}: ${String(params.text)}` : undefined
  const { url } = params.request as { url: string }
  return /^(data|blob):/.test(url) || url.startsWith(origin) ? undefined : `request: ${url}`
}
