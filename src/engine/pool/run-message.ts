import type { ListeningOptions } from '../calls/call-options.ts'
import type { CallKind, Calls } from '../jobs.ts'
import { chooseLoras } from '../options/lora-options.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { RunMessage } from './protocol.ts'

type Work<Kind extends CallKind> = Pick<RunMessage<Kind>, 'id' | 'kind' | 'model'> & {
  readonly request: Calls[Kind]['request']
}

/**
 * A call as the other end is told of it.
 *
 * @throws InvalidRequestError naming what is wrong with its adapters
 */
export function toRunMessage<Kind extends CallKind>(
  work: Work<Kind>,
  { lora, onProgress, onPreview, client = '', keepState = true }: ListeningOptions,
  engine: ResolvedOptions,
): RunMessage {
  return {
    type: 'run',
    ...work,
    lora: chooseLoras(engine.loras, work.model, lora),
    reports: onProgress !== undefined,
    previews: onPreview !== undefined,
    ...(engine.settings.keepStates && keepState && { keepFor: client }),
  }
}
