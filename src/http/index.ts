/**
 * The HTTP service: keys, limits, usage and stores.
 *
 * @module tessera-onnx/server
 */
export type { RequestLog } from './request-reporter.ts'
export type { Job, JobCounts, JobRequest, JobStatus } from './jobs/job.ts'
export type { JobStore, ResultsApart, SharedJobs } from './jobs/job-store.ts'
export type { KeyConfig } from './keys/key-config.ts'
export type { ApiKey, KeyStore } from './keys/key-store.ts'
export { createKeyStore } from './keys/static-keys.ts'
export type { RequestCount } from './limits/count-requests.ts'
export type { RateLimits } from './limits/request-limiter.ts'
export { createServer, type Server } from './server.ts'
export type { JobOptions, ServerOptions } from './server-options.ts'
export type { Payer } from './usage/ledger.ts'
export type { EndedJob, KeptWebhook, KeptWebhooks } from './webhooks/kept-webhooks.ts'
export type { WebhookOptions } from './webhooks/webhook-options.ts'
export { createMemoryStore } from './usage/memory-store.ts'
export { DEFAULT_PRICES, type Price, type Prices } from './usage/prices.ts'
export { openRedisStore, type RedisStoreOptions } from './usage/redis-store.ts'
export { openSqliteStore } from './usage/sqlite-store.ts'
export type { DailyUsage, MonthlyUsage, Usage } from './usage/usage-rows.ts'
export type { Change, StoredDocument, UpdateOptions, UsageStore } from './usage/usage-store.ts'
