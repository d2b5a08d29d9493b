import type { AttentionForm, Backend } from '../../src/backends/backend.ts'

export const ATTENTION_FORMS = ['fused', 'explicit'] as const

/** The same backend, as if its self-test had ended like this. */
export function withAttention(backend: Backend, attention: AttentionForm): Backend {
  return { ...backend, attention }
}
