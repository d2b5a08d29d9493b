/** How far the levels of a picture are from those of another: the most, on average, and the share of those that differ. */
export function pictureDifference(levels: ArrayLike<number>, wanted: ArrayLike<number>) {
  let [most, sum, differing] = [0, 0, 0]
  for (let i = 0; i < wanted.length; i++) {
    const distance = Math.abs(levels[i]! - wanted[i]!)
    most = Math.max(most, distance)
    sum += distance
    if (distance > 0) differing++
  }
  return { most, mean: sum / wanted.length, differing: differing / wanted.length }
}
