import { version } from '../../../package.json'
import type { Engine } from '../../engine/index.ts'
import { type Metric, Reading } from './exposition.ts'

/** Which versions answer, as a metric whose value is always 1. */
export function createBuildInfo(engine: Partial<Pick<Engine, 'backendInfo'>>): Metric {
  return new Reading('tessera_build_info', 'Versions of this process.', 'gauge', () => {
    const info = engine.backendInfo?.()
    const labels = {
      version,
      node: process.versions.node,
      ...(info && { runtime: info.runtime, backend: info.backend }),
    }
    return [{ labels, value: 1 }]
  })
}
