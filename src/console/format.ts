const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })
const percent = new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
const longDay = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'long', timeZone: 'UTC' })
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

const PLACES = 6

export const formatCount = (value: number) => whole.format(value)
export const formatCompact = (value: number) => compact.format(value)
export const formatShort = (value: number) => short.format(value)
export const formatPercent = (value: number) => percent.format(value)
export const formatDay = (day: string) => longDay.format(new Date(day))
export const formatShortDay = (day: string) => shortDay.format(new Date(day))
export const formatMonth = (day: string) => month.format(new Date(day))
/** In the time zone of whoever looks. */
export const formatTime = (time: string) => clock.format(new Date(time))

/** Such as `1 token` or `2,000 tokens`. */
export function formatUnits(count: number, unit: string): string {
  return `${whole.format(count)} ${unit}${count === 1 ? '' : 's'}`
}

/** Seconds from one up, else milliseconds. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}

/** An exact decimal of EUR, cut to six places: an amount is never shown as more than it is. */
export function formatEuros(amount: string): string {
  const [, sign = '', digits = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  const shown = fraction.slice(0, PLACES).replace(/0+$/, '').padEnd(2, '0')
  if (/^0*$/.test(digits + shown) && /[1-9]/.test(fraction)) return `under €0.${'1'.padStart(PLACES, '0')}`
  return `${sign && '−'}€${digits.replace(/\B(?=(\d{3})+$)/g, ',')}.${shown}`
}

/** Sums exact decimals exactly: as whole numbers of their twelfth place. */
export function addEuros(amounts: readonly string[]): string {
  const total = amounts.reduce((sum, amount) => {
    const [whole = '0', fraction = ''] = amount.split('.')
    return sum + BigInt(whole + fraction.padEnd(12, '0'))
  }, 0n)
  const text = String(total).padStart(13, '0')
  return `${text.slice(0, -12)}.${text.slice(-12)}`
}
