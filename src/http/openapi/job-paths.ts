import { answer, errors, REQUEST_ID, type Status } from './messages.ts'

const LIST_ERRORS: readonly Status[] = [400, 401, 405, 421, 431, 500, 503, 529]
const JOB_ERRORS: readonly Status[] = [...LIST_ERRORS, 404]

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const operation = (operationId: string, summary: string) => ({
  operationId,
  tags: ['jobs'],
  summary,
  parameters: [ID],
})

/** Requests that are answered while nobody waits for the response. */
export const JOB_PATHS = {
  '/v1/jobs': {
    get: {
      operationId: 'listJobs',
      tags: ['jobs'],
      summary: 'The jobs of the account that are not removed yet, newest first, without their results.',
      responses: { 200: answer('Newest first.', 'JobList'), ...errors(LIST_ERRORS) },
    },
  },
  '/v1/webhook-secret': {
    get: {
      operationId: 'getWebhookSecret',
      tags: ['jobs'],
      summary: 'What the account checks the webhooks of its jobs with.',
      responses: {
        200: answer('The newest first; none where the server sends no webhooks.', 'WebhookSecret'),
        ...errors(LIST_ERRORS),
      },
    },
  },
  '/v1/jobs/{id}': {
    get: {
      ...operation('getJob', 'How far a job is; with its result where it succeeded.'),
      responses: { 200: answer('The job.', 'Job'), ...errors(JOB_ERRORS) },
    },
    delete: {
      ...operation('cancelJob', 'Stops a job, which is not charged then; removes one that is over.'),
      responses: {
        200: answer('What became of it: it may have succeeded a moment before.', 'Job'),
        ...errors(JOB_ERRORS),
      },
    },
  },
  '/v1/jobs/{id}/events': {
    get: {
      ...operation('streamJob', 'An event for every change of a job, until it is over.'),
      responses: {
        200: {
          description: 'Events named `job.` and the status, each with the job; the last one has the result.',
          headers: REQUEST_ID,
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        ...errors([...JOB_ERRORS, 429]),
      },
    },
  },
}
