import { availableParallelism } from 'node:os'

/** `linux x64 (musl)`, `darwin arm64`, ... */
export function describePlatform(): string {
  return `${process.platform} ${process.arch}${isMusl() ? ' (musl)' : ''}`
}

/** True on Linux systems whose C library isn't glibc, such as Alpine. */
export function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  // Asking for the report's network section would resolve host names, which can block for seconds.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean }
  const before = report.excludeNetwork
  report.excludeNetwork = true
  const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  if (before !== undefined) report.excludeNetwork = before
  return header.glibcVersionRuntime === undefined
}

/**
 * Threads for one operator when the caller names none: all logical processors up to four; of more on x64 the half (at
 * least four), since two of them share a core there and matrix products gain nothing from the second.
 */
export function countDefaultThreads(processors = availableParallelism(), arch: string = process.arch): number {
  return arch === 'x64' && processors > 4 ? Math.max(4, Math.floor(processors / 2)) : processors
}
