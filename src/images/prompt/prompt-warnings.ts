import type { Warning } from '../../schemas/index.ts'
import type { ImageManifest } from '../image-manifest.ts'
import { findNothingNamed } from './nothing-named.ts'
import { findObjectColors } from './object-colors.ts'
import { findTooManyObjects } from './object-count.ts'
import { findUnknownLetters } from './unknown-letters.ts'
import { findUnknownWords } from './unknown-words.ts'

/**
 * Says what a prompt asks for and a small model was never shown.
 *
 * @param isEdit whether the prompt says what to change
 * @param manifest of the model; it names nothing of this where the model was trained on language at large
 */
export function findPromptWarnings(prompt: string, isEdit: boolean, manifest: ImageManifest): Warning[] {
  const { objects, letters, counts, own_colors: ownColors } = manifest
  return [
    ...findUnknownWords(prompt, isEdit, manifest),
    ...(isEdit ? [] : [...findNothingNamed(prompt, objects), ...findTooManyObjects(prompt, objects, counts)]),
    ...findUnknownLetters(prompt, letters),
    ...findObjectColors(prompt, ownColors),
  ]
}
