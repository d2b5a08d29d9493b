import { Gauge, type Metric } from './exposition.ts'

/** What Prometheus expects of any process, under its usual names. */
export function createProcessMetrics(): Metric[] {
  const started = Date.now() / 1000 - process.uptime()
  return [
    new Gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    new Gauge('process_cpu_seconds', 'User and system time since the start.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    new Gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', () => started),
  ]
}
