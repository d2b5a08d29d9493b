import { applyColorChange, type ColorChange, fitColorChange } from './color-change.ts'
import { findChanged } from './find-changed.ts'
import { pasteThrough } from './mask.ts'
import type { PixelImage } from './pixel-image.ts'

/** What a model did to its source. */
export interface SourceEdit {
  /** A mask, white where it changed anything. */
  readonly changed: PixelImage
  readonly colors: ColorChange
}

/** Compares what a model drew with its source as it draws that, RGB of one size: what it does not know by sight is lost in both. */
export function findSourceEdit(drawn: PixelImage, redrawn: PixelImage): SourceEdit {
  const changed = findChanged(drawn, redrawn)
  return { changed, colors: fitColorChange(redrawn, drawn, changed) }
}

/**
 * Does the same to the source itself, as far as it is known: what was left stays to the bit, and where only colours became others
 * they are the source's, made others. In place of what was drawn, which has the source's size by now.
 */
export function applySourceEdit(drawn: PixelImage, source: PixelImage, { changed, colors }: SourceEdit): PixelImage {
  applyColorChange(drawn, source, colors)
  return pasteThrough(drawn, source, changed)
}
