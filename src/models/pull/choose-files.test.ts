import { expect, it } from 'vitest'
import { chooseFiles } from './choose-files.ts'

it("takes a transformers repository's card, configuration, tokenizer and safetensors only", () => {
  const needed = [
    'README.md',
    'config.json',
    'tokenizer.json',
    'merges.txt',
    'model-00001-of-00002.safetensors',
    'model.safetensors.index.json',
  ]
  const others = ['.gitattributes', 'pytorch_model.bin', 'onnx/model.onnx', 'original/model.safetensors', 'a.gguf']
  expect(chooseFiles([...needed, ...others])).toEqual(needed)
})

it("takes a Mistral repository's weights once, and those of its own code where there are no others", () => {
  const shards = ['model-00001-of-00003.safetensors', 'model.safetensors.index.json']
  const own = ['consolidated.safetensors', 'consolidated-00001-of-00002.safetensors']
  expect(chooseFiles(['config.json', ...own, ...shards])).toEqual(['config.json', ...shards])
  expect(chooseFiles(['config.json', ...own, 'model.safetensors'])).toEqual(['config.json', 'model.safetensors'])
  expect(chooseFiles(['config.json', ...own])).toEqual(['config.json', ...own])
})

it('takes the parts of a diffusers repository, not the network once more beside them', () => {
  const needed = [
    'README.md',
    'model_index.json',
    'scheduler/scheduler_config.json',
    'tokenizer/tokenizer.json',
    'tokenizer/merges.txt',
    'transformer/config.json',
    'transformer/diffusion_pytorch_model-00001-of-00002.safetensors',
    'vae/config.json',
  ]
  const others = ['flux-2-klein-4b.safetensors', 'assets/teaser.png', 'LICENSE.md', 'transformer/old/x.safetensors']
  expect(chooseFiles([...needed, ...others])).toEqual(needed)
})

it.each([
  ['a Laya agent', ['rl_agent_config.json']],
  ['Julia', ['config.json', 'julia_config.json', 'inference-policy.json']],
])('takes the configuration of the encoder and the tokenizer of %s', (_, own) => {
  const top = ['README.md', ...own, 'model.safetensors']
  const needed = [...top, 'encoder/config.json', 'tokenizer/tokenizer.json', 'tokenizer/tokenizer_config.json']
  const others = ['onnx/model.onnx', 'encoder/model.safetensors', 'assets/figure.json']
  expect(chooseFiles([...needed, ...others])).toEqual(needed)
})
