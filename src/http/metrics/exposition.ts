type Labels = Readonly<Record<string, string>>

/** One metric in the Prometheus text format, version 0.0.4. */
export interface Metric {
  lines(): string[]
}

/** A number that only grows, for each combination of labels. Labels come from closed lists, never from requests. */
export class Counter implements Metric {
  readonly #head: string[]
  readonly #name: string
  readonly #values = new Map<string, number>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#head = describe(name, help, 'counter')
  }

  add(labels: Labels, amount = 1): void {
    const key = format(labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount)
  }

  lines(): string[] {
    return [...this.#head, ...[...this.#values].map(([labels, value]) => `${this.#name}${labels} ${value}`)]
  }
}

interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** Numbers that somebody else keeps, read when they are asked for. */
export class Reading implements Metric {
  readonly #head: string[]
  readonly #name: string
  readonly #read: () => readonly Sample[]

  constructor(name: string, help: string, type: 'gauge' | 'counter', read: () => readonly Sample[]) {
    this.#name = name
    this.#head = describe(name, help, type)
    this.#read = read
  }

  lines(): string[] {
    return [...this.#head, ...this.#read().map(({ labels, value }) => `${this.#name}${format(labels)} ${value}`)]
  }
}

/** One number that goes up and down. */
export class Gauge extends Reading {
  constructor(name: string, help: string, read: () => number) {
    super(name, help, 'gauge', () => [{ labels: {}, value: read() }])
  }
}

interface Series {
  readonly labels: Labels
  readonly counts: number[]
  sum: number
  total: number
}

/** How many values were at most each of the bounds. */
export class Histogram implements Metric {
  readonly #head: string[]
  readonly #name: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#head = describe(name, help, 'histogram')
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    const key = format(labels)
    const series = this.#series.get(key) ?? { labels, counts: this.#bounds.map(() => 0), sum: 0, total: 0 }
    this.#series.set(key, series)
    for (const [index, bound] of this.#bounds.entries()) if (value <= bound) series.counts[index]! += 1
    series.sum += value
    series.total += 1
  }

  lines(): string[] {
    const name = this.#name
    return [
      ...this.#head,
      ...[...this.#series.values()].flatMap(({ labels, counts, sum, total }) => [
        ...counts.map(
          (count, index) => `${name}_bucket${format({ ...labels, le: String(this.#bounds[index]) })} ${count}`,
        ),
        `${name}_bucket${format({ ...labels, le: '+Inf' })} ${total}`,
        `${name}_sum${format(labels)} ${sum}`,
        `${name}_count${format(labels)} ${total}`,
      ]),
    ]
  }
}

function describe(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function format(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
