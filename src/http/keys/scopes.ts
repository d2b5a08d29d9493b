/** What a key may be used for: the two kinds of work, and what is for operators. */
export const SCOPES = ['decide', 'images', 'metrics', 'admin'] as const

export type Scope = (typeof SCOPES)[number]

/** Of keys that name none: the work, and nothing of the operator's. */
export const DEFAULT_SCOPES: readonly Scope[] = ['decide', 'images']
