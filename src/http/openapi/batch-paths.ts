import { accepted, errors, IDEMPOTENCY_KEY, lines, PREFER, REQUEST_ID, type Status, WEBHOOK } from './messages.ts'
import { limited } from './rate-limit-headers.ts'

const READ_ERRORS: readonly Status[] = [400, 401, 404, 405, 421, 431, 500, 503, 529]
const POST_ERRORS: readonly Status[] = [...READ_ERRORS, 403, 408, 409, 413, 415, 422, 429]

/** Many decisions that are answered as one job. */
export const BATCH_PATHS = {
  '/v1/batches': {
    post: {
      operationId: 'createBatch',
      tags: ['jobs'],
      summary: 'Answers up to 10,000 decisions as one job, at half the priority of other requests.',
      parameters: [IDEMPOTENCY_KEY, PREFER, WEBHOOK],
      requestBody: { required: true, ...lines('BatchLine', 'A decision on each line, with a name of its own.') },
      responses: limited({ 202: accepted('The job that answers the batch.'), ...errors(POST_ERRORS) }, ['requests']),
    },
  },
  '/v1/batches/{id}/results': {
    get: {
      operationId: 'getBatchResults',
      tags: ['jobs'],
      summary: 'What came of each line of a batch that is over, in any order.',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: { headers: REQUEST_ID, ...lines('BatchResult', 'A line for each that was answered or cannot be.') },
        ...errors(READ_ERRORS),
      },
    },
  },
}
