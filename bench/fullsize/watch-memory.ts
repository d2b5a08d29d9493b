import { readFileSync } from 'node:fs'
import type { StageMemory } from './results.ts'

const WATCH_MS = 20
const NONE: StageMemory = { peak: 0, own: 0 }

/** Watches the memory of this process. An engine computes in a thread of its own, so this one is free to look. */
export function watchMemory() {
  const stages = new Map<string, StageMemory>()
  let stage = 'loading'
  const look = () => void stages.set(stage, larger(stages.get(stage) ?? NONE, now()))
  setInterval(look, WATCH_MS).unref()
  return {
    /** Says what the process begins to do. */
    enter(next: string): void {
      look()
      stage = next
    },
    /** Largest of each stage until now. */
    stages(): Readonly<Record<string, StageMemory>> {
      look()
      return Object.fromEntries(stages)
    },
    peak(): StageMemory {
      look()
      return [...stages.values()].reduce(larger)
    },
  }
}

/** Linux counts apart what is the process's own and what are pages of mapped files. */
function now(): StageMemory {
  const own = Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
  return { peak: process.memoryUsage.rss(), own }
}

function larger(a: StageMemory, b: StageMemory): StageMemory {
  return { peak: Math.max(a.peak, b.peak), own: Math.max(a.own, b.own) }
}
