/** How many matrices the guard of whole rows kept, in a sentence. */
export function describeRough(count: number): string {
  const matrices = count === 1 ? 'matrix stays' : 'matrices stay'
  return `${count} ${matrices} in blocks of 128, as ${count === 1 ? 'its' : 'their'} outliers make whole rows too rough`
}
