import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { Gauge, type Metric, Reading } from './exposition.ts'

/** What Prometheus expects of any process, and of one that is Node, under the usual names. */
export function createProcessMetrics(): Metric[] {
  const started = Date.now() / 1000 - process.uptime()
  let last = performance.eventLoopUtilization()
  return [
    new Gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    new Reading('process_cpu_seconds_total', 'User and system time since the start.', 'counter', () => {
      const { user, system } = process.cpuUsage()
      return [{ labels: {}, value: (user + system) / 1e6 }]
    }),
    new Gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', () => started),
    new Reading('process_open_fds', 'Open files and sockets; on Linux.', 'gauge', countOpenFiles),
    new Gauge('nodejs_heap_size_used_bytes', 'Values of the main thread.', () => process.memoryUsage().heapUsed),
    new Gauge('nodejs_external_memory_bytes', 'Memory of buffers.', () => process.memoryUsage().external),
    new Gauge(
      'nodejs_eventloop_utilization',
      'Share of the time since the last look that the main thread was busy.',
      () => {
        const now = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(now, last)
        last = now
        return utilization
      },
    ),
  ]
}

function countOpenFiles() {
  if (process.platform !== 'linux') return []
  // One of them is the folder that is being read.
  return [{ labels: {}, value: readdirSync('/proc/self/fd').length - 1 }]
}
