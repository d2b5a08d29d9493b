import type { ResolvedModel } from './task.ts'

/** What a model is open under: its folder, and its adapters as their files are, whoever chose them, after a character that no path has. */
export function openKey({ folder, lora }: Pick<ResolvedModel, 'folder' | 'lora'>): string {
  return lora === undefined
    ? folder
    : `${folder}\0${JSON.stringify(lora.map(({ path, scale, state }) => [path, scale, state]))}`
}
