/** What an engine is doing, for whoever watches it. */
export interface EngineActivity {
  /** Calls that wait for a place in a worker. */
  readonly waiting: number
  /** Calls that workers have. */
  readonly running: number
  /** Models that were opened, or could not be, since the engine started. */
  readonly models: readonly ModelActivity[]
  /** Names of models that are to be kept open, as `preload` says, and are not in some worker, as after a crash. */
  readonly missing: readonly string[]
  /** Queues that it shares with others, where its models are on other machines. */
  readonly queues?: readonly QueueActivity[]
}

/** What waits for a model in a queue, and how many workers take from it. */
export interface QueueActivity {
  /** Kind of its work: `decide` or `images`. */
  readonly name: string
  /** Model that its calls are for, by the name that requests give. */
  readonly model: string
  /** Calls of all that wait in it. */
  readonly waiting: number
  /** How long the call that is next has waited, in milliseconds; 0 where none does. */
  readonly waitedMs: number
  /** Workers that take from it. */
  readonly workers: number
}

/** What a model of the engine does, and how often it was opened. */
export interface ModelActivity {
  /** As `ModelInfo.id`. */
  readonly id: string
  /** Workers in which it is open now, each counted once for every choice of adapters. */
  readonly open: number
  /** How often it was opened, and in how many milliseconds altogether. */
  readonly opened: number
  /** Milliseconds that all openings took together. */
  readonly openedMs: number
  /** How often it could not be opened. */
  readonly failed: number
}

/** What a worker tells of a model. */
export interface ModelChange {
  readonly model: string
  readonly change: 'opened' | 'failed' | 'closed'
  /** How long opening it took; 0 where it was closed. */
  readonly milliseconds: number
}

type Counts = { -readonly [Name in keyof Omit<ModelActivity, 'id'>]: number }

/** Counts what one worker tells of its models. */
export class ModelCounts {
  readonly #models = new Map<string, Counts>()

  note({ model, change, milliseconds }: ModelChange): void {
    const counts = this.#models.get(model) ?? { open: 0, opened: 0, openedMs: 0, failed: 0 }
    this.#models.set(model, counts)
    if (change === 'closed') counts.open--
    else if (change === 'failed') counts.failed++
    else {
      counts.open++
      counts.opened++
      counts.openedMs += milliseconds
    }
  }

  /** The worker has ended, and its models with it. */
  lose(): void {
    for (const counts of this.#models.values()) counts.open = 0
  }

  list(): ModelActivity[] {
    return Array.from(this.#models, ([id, counts]) => ({ id, ...counts }))
  }
}

/** What several workers do, together. */
export function sumActivities(activities: readonly EngineActivity[]): EngineActivity {
  const models = sumModels(activities.flatMap((activity) => activity.models))
  const missing = [...new Set(activities.flatMap((activity) => activity.missing))]
  const sum = (name: 'waiting' | 'running') => activities.reduce((total, activity) => total + activity[name], 0)
  return { waiting: sum('waiting'), running: sum('running'), models, missing }
}

/** Adds up those of the same model. */
export function sumModels(all: readonly ModelActivity[]): ModelActivity[] {
  const models = new Map<string, ModelActivity>()
  for (const model of all) {
    const before = models.get(model.id)
    models.set(model.id, before ? addModels(before, model) : model)
  }
  return [...models.values()]
}

function addModels(a: ModelActivity, b: ModelActivity): ModelActivity {
  return {
    id: a.id,
    open: a.open + b.open,
    opened: a.opened + b.opened,
    openedMs: a.openedMs + b.openedMs,
    failed: a.failed + b.failed,
  }
}
