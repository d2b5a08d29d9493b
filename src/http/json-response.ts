/** A JSON response that says how long it is, so that nobody on its way has to send it in chunks. */
export function createJsonResponse(
  value: unknown,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const text = JSON.stringify(value)
  return new Response(text, {
    status,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
  })
}
