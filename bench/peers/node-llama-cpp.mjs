// Resolved from here, where it is installed, and not from the bundle that the bench runs as.
export { getLlama, LlamaLogLevel } from 'node-llama-cpp'
