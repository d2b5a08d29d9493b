import type { TokenizerFile } from './tokenizer-file.ts'

/** Whether people write such a token: blanks, and letters, of which DeepSeek's vocabularies have `ö` and `ü` so. */
export function isWritten({ content, ...flags }: TokenizerFile['added_tokens'][number], prefix: string): boolean {
  if (content.trim() === '') return true
  // Others are found as words alone, with the blanks around them, or behind the prefix of the text only.
  const isPlain = !flags['single_word'] && !flags['lstrip'] && !flags['rstrip'] && !(prefix && flags['normalized'])
  return isPlain && /^.$/u.test(content)
}
