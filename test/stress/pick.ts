export function pick<T>(choices: readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)]!
}
