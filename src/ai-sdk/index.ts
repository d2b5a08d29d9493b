export { createTessera, type TesseraProvider, type TesseraProviderSettings } from './create-tessera.ts'
