import { randomUUID } from 'node:crypto'
import { accessSync, constants, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'

/** An answer to be charged to an account: who, what and how much, and nothing of what was asked. */
const chargeSchema = z.object({
  /** Under which a charge is made once, however often it is tried. */
  id: z.string(),
  account: z.string(),
  freeTokens: z.int().optional(),
  endpoint: z.enum(['decisions', 'generations', 'edits']),
  units: z.int().nonnegative(),
  /** Such as `2026-11-30`, in UTC: when it was asked. */
  day: z.iso.date(),
})

export type Charge = Readonly<z.output<typeof chargeSchema>>

const RETRY_MS = 1000
const ENDING = '.json'

/**
 * Charges of answers that were delivered while the store was away. They are tried again until they are made; with a
 * folder, also by the next process that is given it. One folder may serve several processes, but not two stores: a charge
 * is made once, in the store of whoever finds it.
 */
export class ChargeJournal {
  readonly #folder: string | undefined
  readonly #make: (charge: Charge) => Promise<void>
  readonly #pending: Map<string, Charge>
  /** Of those, the ones that could not be written to the folder. */
  readonly #unwritten = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #retrying: Promise<void> | undefined

  /**
   * @param make Charges once for each id. Throws where the store is still away.
   * @throws InvalidRequestError for a folder that cannot be written, or a file in it that is no charge
   */
  constructor(make: (charge: Charge) => Promise<void>, folder?: string) {
    this.#make = make
    this.#folder = folder
    this.#pending = folder === undefined ? new Map() : readFolder(folder)
    this.#schedule()
  }

  /** Charges not made yet. */
  get size(): number {
    return this.#pending.size
  }

  /** Takes a charge over. It never throws: the answer is on its way. */
  async keep(charge: Charge): Promise<void> {
    const problem = await this.#write(charge)
    this.#pending.set(charge.id, charge)
    if (problem !== undefined) {
      this.#unwritten.add(charge.id)
      process.emitWarning(
        `the charge ${charge.id} could not be written to ${this.#folder} (${problem}) and is in memory only`,
        'TesseraJournalWarning',
      )
    }
    this.#schedule()
  }

  /** Tries all once more. */
  async close(): Promise<void> {
    await this.#retry()
    clearTimeout(this.#timer)
    const lost = this.#folder === undefined ? this.size : this.#unwritten.size
    if (lost > 0) process.emitWarning(`${lost} charges were not made: the store is away`, 'TesseraJournalWarning')
  }

  #schedule(): void {
    if (this.size > 0) this.#timer ??= setTimeout(() => void this.#retry(), RETRY_MS).unref()
  }

  #retry(): Promise<void> {
    this.#retrying ??= this.#makeAll().finally(() => {
      this.#retrying = undefined
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#schedule()
    })
    return this.#retrying
  }

  async #makeAll(): Promise<void> {
    for (const charge of this.#pending.values()) {
      try {
        await this.#make(charge)
      } catch {
        // The store is still away, for the others too.
        await this.#writeAgain()
        return
      }
      // What cannot be removed is made once more by the next process, which finds that it was made.
      if (this.#folder !== undefined) await rm(this.#fileOf(charge), { force: true }).catch(() => {})
      this.#pending.delete(charge.id)
      this.#unwritten.delete(charge.id)
    }
  }

  async #writeAgain(): Promise<void> {
    for (const id of this.#unwritten) {
      if ((await this.#write(this.#pending.get(id)!)) === undefined) this.#unwritten.delete(id)
    }
  }

  /** @returns what kept it from being written */
  async #write(charge: Charge): Promise<string | undefined> {
    try {
      if (this.#folder !== undefined) await writeDurably(this.#fileOf(charge), JSON.stringify(charge))
      return undefined
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unknown error'
    }
  }

  #fileOf({ id }: Charge): string {
    return join(this.#folder!, `${id}${ENDING}`)
  }
}

function readFolder(folder: string): Map<string, Charge> {
  let names: string[]
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
    names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new InvalidRequestError(
      'journal',
      `the folder ${folder} cannot be written (${code}); name one that can, on a disk that outlives the process`,
      { cause },
    )
  }
  return new Map(names.flatMap((name) => readCharge(join(folder, name))).map((charge) => [charge.id, charge]))
}

function readCharge(file: string): Charge[] {
  try {
    return [chargeSchema.parse(JSON.parse(readFileSync(file, 'utf8')))]
  } catch (cause) {
    // Another process that shares the folder has made this charge.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new InvalidRequestError('journal', `${file} holds no charge; move it away to look at it`, { cause })
  }
}

/** Either the whole file is there afterwards, on the disk itself, or none. */
async function writeDurably(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await writeThrough(handle, text)
    await rename(temporary, file)
  } catch (error) {
    // On a full disk it is there, and empty.
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

async function writeThrough(handle: FileHandle, text: string): Promise<void> {
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
