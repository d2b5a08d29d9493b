import type { Preview } from '../../jobs/preview.ts'

/**
 * Passes on so many previews of each picture, spread evenly over its steps; fewer where it has fewer steps. The last step's
 * is left out, since the picture follows it.
 */
export function selectPreviews(wanted: number, send: (preview: Preview, index: number) => void) {
  let picture = 0
  let sent = 0
  return (preview: Preview): void => {
    if (preview.picture !== picture) sent = 0
    picture = preview.picture
    const { step, steps } = preview
    if (sent < wanted && step < steps && step * (wanted + 1) >= (sent + 1) * steps) send(preview, sent++)
  }
}
