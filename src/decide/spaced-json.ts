/** A string as it is, anything else as JSON with a space behind `,` and `:`, as Python writes it: what published models were trained on. */
export function spacedText(value: unknown): string {
  return typeof value === 'string' ? value : spacedJson(value)
}

function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null)
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${spacedJson(item)}`)
  return `{${entries.join(', ')}}`
}
