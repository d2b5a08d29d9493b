import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const NETWORK = '10.213.7'
const BRIDGE = 'tessera-fleet'

/** A machine of its own, as far as the network goes. */
export interface Host {
  readonly address: string
  /** What a command line begins with that runs there. */
  readonly prefix: readonly string[]
  /** Pulls the cable: nothing arrives and nobody is told. */
  cut(): Promise<void>
  mend(): Promise<void>
}

/** Network namespaces on one bridge, which this machine is on as well. Linux, as root. */
export class Hosts {
  readonly address = `${NETWORK}.1`
  readonly #names: string[] = []

  async open(): Promise<void> {
    await this.close()
    await ip(`link add ${BRIDGE} type bridge`)
    await ip(`addr add ${this.address}/24 dev ${BRIDGE}`)
    await ip(`link set ${BRIDGE} up`)
  }

  async add(): Promise<Host> {
    const number = this.#names.length + 10
    const name = `${BRIDGE}-${number}`
    const cable = `tsf${number}`
    const address = `${NETWORK}.${number}`
    this.#names.push(name)
    await ip(`netns add ${name}`)
    await ip(`link add ${cable} type veth peer name eth0 netns ${name}`)
    await ip(`link set ${cable} master ${BRIDGE} up`)
    await ip(`-n ${name} addr add ${address}/24 dev eth0`)
    await ip(`-n ${name} link set eth0 up`)
    await ip(`-n ${name} link set lo up`)
    const set = (state: 'up' | 'down') => ip(`link set ${cable} ${state}`)
    return { address, prefix: ['ip', 'netns', 'exec', name], cut: () => set('down'), mend: () => set('up') }
  }

  /** Removes them, those of a run that was killed among them. */
  async close(): Promise<void> {
    const { stdout } = await run('ip', ['-o', 'netns', 'list'])
    const names = stdout.split('\n').map((line) => line.split(' ')[0]!)
    for (const name of names.filter((each) => each.startsWith(`${BRIDGE}-`))) await ip(`netns del ${name}`)
    await ip(`link del ${BRIDGE}`).catch(() => {})
    this.#names.length = 0
  }
}

async function ip(words: string): Promise<void> {
  await run('ip', words.split(' '))
}
