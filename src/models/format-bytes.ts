const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Bytes as people read them, in decimal units: `1.19 GB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000
  return `${unit === 0 ? value : value.toPrecision(3)} ${UNITS[unit]}`
}
