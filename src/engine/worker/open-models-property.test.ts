import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AbortedError } from '../../errors/index.ts'
import { OpenModels, type Openable } from './open-models.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const BYTES = { a: 10, b: 20, c: 40 }
type Folder = keyof typeof BYTES

interface Use {
  readonly kind: 'use'
  readonly folder: Folder
  /** What goes wrong, if anything does. */
  readonly fails: 'weigh' | 'open' | 'work' | 'close' | undefined
  /** Whether opening stops when nobody waits for it. */
  readonly stops: boolean
}
type Step = Use | { readonly kind: 'abort'; readonly back: number } | { readonly kind: 'pass'; readonly ms: number }

const use: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('use'),
  folder: fc.constantFrom<Folder>('a', 'b', 'c'),
  fails: fc.option(fc.constantFrom('weigh', 'open', 'work', 'close'), { nil: undefined, freq: 3 }),
  stops: fc.boolean(),
})
const abort: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('abort'), back: fc.integer({ min: 1, max: 4 }) })
const pass: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(0, 100) })
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: use }, { weight: 3, arbitrary: abort }, pass), {
  maxLength: 24,
})

/** Models whose weighing, opening, work and closing end in whatever order the scheduler makes up. */
class World {
  readonly models: OpenModels
  /** Of the folders that are being opened, open or being closed. */
  readonly states = new Map<Folder, 'opening' | 'open' | 'closing'>()
  readonly users = new Map<Folder, number>()
  readonly aborts: AbortController[] = []
  /** What must not happen. Not thrown where it is seen: a failure to open or to close is taken for a planned one there. */
  readonly faults: string[] = []
  readonly #scheduler: fc.Scheduler
  readonly #budget: number
  started = 0
  settled = 0

  constructor(scheduler: fc.Scheduler, keepAlive: number, memoryBudget: number) {
    this.models = new OpenModels({ keepAlive, memoryBudget })
    this.#scheduler = scheduler
    this.#budget = memoryBudget
  }

  take(step: Step): void {
    if (step.kind === 'abort') this.aborts.at(-step.back)?.abort()
    else if (step.kind === 'pass') vi.advanceTimersByTime(step.ms)
    else this.#use(step)
  }

  #use(step: Use): void {
    const { folder, fails } = step
    const controller = new AbortController()
    this.aborts.push(controller)
    this.started++
    const work = async () => {
      this.users.set(folder, (this.users.get(folder) ?? 0) + 1)
      this.#require(this.states.get(folder) === 'open', `work began with ${folder}, which is not open`)
      await this.#later(`work ${folder}`, fails === 'work').finally(() => {
        this.#require(this.states.get(folder) === 'open', `${folder} was closed in use`)
        this.users.set(folder, this.users.get(folder)! - 1)
      })
    }
    const settle = () => void this.settled++
    this.models.use(this.#openable(step), controller.signal, work).then(settle, (error: Error) => {
      settle()
      const isExpected = error.message === 'planned' || AbortedError.isInstance(error)
      this.#require(isExpected, `a use failed with ${error.message}`)
    })
  }

  #openable({ folder, fails, stops }: Use): Openable {
    return {
      folder,
      weigh: async () => {
        await this.#later(`weigh ${folder}`, fails === 'weigh')
        return BYTES[folder]
      },
      open: async (signal) => {
        this.#require(!this.states.has(folder), `${folder} is opened while it is ${this.states.get(folder)}`)
        this.states.set(folder, 'opening')
        this.checkBudget()
        try {
          await this.#later(`open ${folder}`, fails === 'open')
          if (stops && signal.aborted) throw new Error('planned')
        } catch (error) {
          this.states.delete(folder)
          throw error
        }
        this.states.set(folder, 'open')
        return { dispose: () => this.#close(folder, fails === 'close') }
      },
    }
  }

  async #close(folder: Folder, fails: boolean): Promise<void> {
    this.#require(this.states.get(folder) === 'open', `${folder} is closed while it is ${this.states.get(folder)}`)
    this.#require(!this.users.get(folder), `${folder} is closed in use`)
    this.states.set(folder, 'closing')
    await this.#later(`close ${folder}`, fails).finally(() => this.states.delete(folder))
  }

  /** Beyond the budget no model is open that nobody uses, but for the one used last. */
  checkBudget(): void {
    const kept = [...this.states].filter(([, state]) => state !== 'closing').map(([folder]) => folder)
    const bytes = kept.reduce((sum, folder) => sum + BYTES[folder], 0)
    if (bytes <= this.#budget) return
    const unused = kept.filter((folder) => this.states.get(folder) === 'open' && !this.users.get(folder))
    this.#require(unused.length <= 1, `${unused} are open unused beyond the budget`)
  }

  #require(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault)
  }

  async #later(name: string, fails: boolean): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), name)
    if (fails) throw new Error('planned')
  }
}

it('in whatever order things happen, every use ends, no folder is opened twice at once, and the budget is kept', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    steps,
    fc.constantFrom(0, 100, Number.POSITIVE_INFINITY),
    fc.constantFrom(5, 30, 55, 100),
    async (scheduler, steps, keepAlive, memoryBudget) => {
      const world = new World(scheduler, keepAlive, memoryBudget)
      scheduler.scheduleSequence(steps.map((step) => async () => world.take(step)))
      await scheduler.waitIdle()
      expect(world.settled).toBe(world.started)
      world.checkBudget()

      for (const controller of world.aborts) controller.abort()
      const disposed = vi.fn<() => void>()
      world.models.dispose().then(disposed)
      await scheduler.waitIdle()
      expect(disposed).toHaveBeenCalledOnce()
      expect([...world.states]).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
      expect(world.faults).toEqual([])
    },
  )
  await fc.assert(property, { numRuns: 1000 })
})
