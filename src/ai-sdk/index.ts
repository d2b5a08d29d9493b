/**
 * A provider for the AI SDK whose models run in this process.
 *
 * @module tessera-onnx/ai-sdk
 */
export { createTessera, type TesseraProvider, type TesseraProviderSettings } from './create-tessera.ts'
