import type { OpenAPIObject } from '@nestjs/swagger';
import { TestEventDto } from './test-event.dto.js';
import { CallStatusEventDto, PostCallEventDto, ToolActionBodyDto } from './webhook-events.dto.js';

/** Bodies that only webhooks use. */
export const WEBHOOK_MODELS = [CallStatusEventDto, PostCallEventDto, ToolActionBodyDto, TestEventDto];

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
  example,
});

const HEADERS = [
  header('webhook-id', 'Id of the event, the same on every attempt.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22'),
  header('webhook-timestamp', 'Time of this attempt in Unix seconds; reject a time that is minutes off.', '1767323046'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`; two, separated by a space, while a secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const EVENT_HEADERS = [
  ...HEADERS,
  header('webhook-attempt', 'Number of this attempt, from 1.', '1'),
  header('webhook-sequence', 'The `sequence` of the body.', '2'),
];

const ACTION_HEADERS = [
  ...HEADERS,
  header('idempotency-key', 'The same as `webhook-id`.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22'),
];

const RESPONSES = {
  '2XX': {
    description: 'Received. Any other answer is retried: five attempts within a minute, then eight over three days.',
  },
  '410': { description: 'The endpoint is gone: nothing is sent to this URL again.' },
};

const operation = (operationId: string, summary: string, description: string, schema: string) => ({
  operationId,
  summary,
  description,
  tags: ['Calls'],
  parameters: EVENT_HEADERS,
  requestBody: {
    required: true,
    description: summary,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  },
  responses: RESPONSES,
  security: [],
});

/** The `webhooks` section of the contract: the requests of this service. */
export const webhookOperations = (): OpenAPIObject['webhooks'] => ({
  'call-status': {
    post: operation(
      'onCallStatus',
      'A call changed its state',
      "Sent to the call's `call_status_webhook_url` at every change, with the configured method and headers.",
      'CallStatusEventDto',
    ),
  },
  'post-call': {
    post: operation(
      'onPostCall',
      'A call has ended',
      "Sent to the call's `post_call_webhook_url` once, after recording, transcript and costs exist. With the method GET there is no body: `id`, `type`, `call_id` and `status` are in the query.",
      'PostCallEventDto',
    ),
  },
  test: {
    post: {
      ...operation(
        'onTest',
        'A test of a webhook',
        'Sent once by `POST /api/v1/webhooks/test`, signed like all webhooks.',
        'TestEventDto',
      ),
      tags: ['Webhooks'],
      responses: { '2XX': { description: 'Received. A test is never retried.' } },
    },
  },
  'tool-action': {
    post: {
      ...operation(
        'onToolAction',
        'An agent invoked a tool',
        "Sent for each webhook action of the tool, with the action's method, URL, headers and query. This body is that of an action without a payload; GET and DELETE have none.",
        'ToolActionBodyDto',
      ),
      tags: ['Tools'],
      parameters: ACTION_HEADERS,
      responses: {
        '2XX': {
          description:
            'With `wait_response` the agent gets this answer: JSON, or text. Otherwise it means received, and any other answer is retried.',
        },
      },
    },
  },
});
