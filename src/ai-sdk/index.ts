/**
 * A provider for the AI SDK whose models run in this process, or in a service.
 *
 * @module tessera-onnx/ai-sdk
 */
export {
  createTessera,
  type TesseraProvider,
  type TesseraProviderOptions,
  type TesseraProviderSettings,
} from './create-tessera.ts'
