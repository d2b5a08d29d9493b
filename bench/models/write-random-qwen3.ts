import { readChatTokenizer } from './chat-tokenizer.ts'
import { languageModelShapes } from './language-model-shape.ts'
import { qwen3Config, type RandomQwen3 } from './qwen3-shape.ts'
import { writeRandomFiles } from './write-random-files.ts'

/** Writes a bundle of random weights in the shapes of Qwen3-0.6B, with a vocabulary of 24,576 tokens. */
export async function writeRandomQwen3(folder: string, which: RandomQwen3): Promise<void> {
  const { tokenizer, vocabulary } = await readChatTokenizer()
  const config = qwen3Config(which, vocabulary)
  const texts = { 'config.json': JSON.stringify(config), 'tokenizer.json': tokenizer }
  const weights = { 'model.safetensors': languageModelShapes(config, { headNorms: true }) }
  await writeRandomFiles(folder, { texts, weights }, { bits: which.bits, block: which.block ?? 128 })
}
