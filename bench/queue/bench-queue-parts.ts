import type { Bench } from '../report/bench.ts'
import { table } from '../report/markdown.ts'
import { type Bare, measureBare } from './measure-bare.ts'
import { measurePayloads, type Payload } from './measure-payloads.ts'

interface QueuePartsResults {
  /** What calls of several sizes cost the server. */
  readonly payloads: readonly Payload[]
  /** What lanes cost, and what calls put together into one job would gain. */
  readonly bare: readonly Bare[]
}

const WAYS: Readonly<Record<Bare['way'], string>> = {
  fifo: 'BullMQ, first come first served',
  lanes: 'with lanes',
  packed: 'with lanes, up to 8 calls that wait together in one job',
}

/** What the parts of a queue cost, by figures that other programs of the machine change little. */
export const queuePartsBench: Bench<QueuePartsResults> = {
  async measure() {
    return { payloads: await measurePayloads(), bare: await measureBare() }
  },
  render: ({ payloads, bare }) => {
    const sizes = payloads.map(({ name, commands, received, sent }) => {
      return [name, commands.toFixed(0), kilobytes(received), kilobytes(sent)]
    })
    const ways = bare.map(({ way, callers, p50, rate }) => {
      return [WAYS[way], String(callers), `${p50.toFixed(1)} ms`, rate.toFixed(0)]
    })
    return {
      markdown: [
        'What a call costs the server, eight callers (commands of scripts among them, and of looking after calls once a second, which slow ones have more of):',
        table(['call', 'commands', 'received', 'sent'], sizes),
        'Calls of one client without work, through BullMQ and back in one process, each way in turn, medians of five:',
        table(['way', 'callers', 'p50', 'a second'], ways),
      ].join('\n\n'),
    }
  },
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
