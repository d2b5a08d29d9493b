// Resolved from here, where it is installed, and not from the bundle that the bench runs as.
export { AutoModelForCausalLM, DynamicCache, env, Tensor } from '@huggingface/transformers'
