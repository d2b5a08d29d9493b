import { countUsableProcessors } from './usable-processors.ts'

/** `linux x64 (musl)`, `darwin arm64`, ... */
export function describePlatform(): string {
  return `${process.platform} ${process.arch}${isMusl() ? ' (musl)' : ''}`
}

/** True on Linux systems whose C library isn't glibc, such as Alpine. */
export function isMusl(): boolean {
  return process.platform === 'linux' && readReport().header.glibcVersionRuntime === undefined
}

/** The part of Node's diagnostic report that is used here. */
interface ProcessReport {
  readonly header: { readonly glibcVersionRuntime?: string }
  /** Absent in Deno. */
  readonly environmentVariables?: Readonly<Record<string, string>>
}

/** What Node says of the process, whichever thread asks. Takes some milliseconds. */
export function readReport(): ProcessReport {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean; excludeEnv?: boolean }
  const { excludeNetwork, excludeEnv } = report
  // The section on the network would resolve host names, which can block for seconds.
  report.excludeNetwork = true
  report.excludeEnv = false
  const read = report.getReport() as unknown as ProcessReport
  if (excludeNetwork !== undefined) report.excludeNetwork = excludeNetwork
  if (excludeEnv !== undefined) report.excludeEnv = excludeEnv
  return read
}

/**
 * Threads for one operator when the caller names none: all logical processors that may be used up to four; of more on x64 the half (at
 * least four), since two of them share a core there and matrix products gain nothing from the second.
 */
export function countDefaultThreads(processors = countUsableProcessors(), arch: string = process.arch): number {
  return arch === 'x64' && processors > 4 ? Math.max(4, Math.floor(processors / 2)) : processors
}
