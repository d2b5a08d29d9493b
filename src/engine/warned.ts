import type { Warning } from '../schemas/index.ts'

/** A response with what there is to warn of, if there is anything: of the request, and what the model warned of. */
export function warned<Response extends { readonly warnings?: readonly Warning[] }>(
  response: Response,
  warnings: readonly Warning[],
): Response {
  return warnings.length === 0 ? response : { ...response, warnings: [...warnings, ...(response.warnings ?? [])] }
}
