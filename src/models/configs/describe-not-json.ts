import { describeLfsPointer } from '../weights/lfs-pointer.ts'

/** What a text, which was read as UTF-8 and is no JSON, is instead, in words. */
export function describeNotJson(text: string): string {
  // PowerShell's `>` writes two bytes a character, one of which is 0 in English.
  if (text.includes('\0')) return 'text in UTF-16, or no text: store it as UTF-8'
  return describeLfsPointer(text) ?? 'something that is not JSON'
}
