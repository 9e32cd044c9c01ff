import type { OpenAPIObject } from '@nestjs/swagger';
import { CallAnalysisEventDto } from './call-analysis-webhook.dto.js';
import { CampaignEventDto } from './campaign-webhook.dto.js';
import { PreCallAnswerDto, PreCallEventDto } from './pre-call-webhook.dto.js';
import { ToolResultEventDto } from './tool-result-webhook.dto.js';
import { TestRunEventDto } from './test-run-webhook.dto.js';
import { CallStatusEventDto, PostCallEventDto, TestEventDto, ToolActionBodyDto } from './webhook-events.dto.js';

/** Schemas that only webhooks use. */
export const WEBHOOK_MODELS = [
  CallStatusEventDto,
  PostCallEventDto,
  PreCallEventDto,
  PreCallAnswerDto,
  ToolActionBodyDto,
  TestEventDto,
  CampaignEventDto,
  CallAnalysisEventDto,
  TestRunEventDto,
  ToolResultEventDto,
];

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
  example,
});

const HEADERS = [
  header('webhook-id', 'ID of the event, the same for every attempt.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22'),
  header(
    'webhook-timestamp',
    'Time of the attempt in Unix seconds. Reject times that differ by minutes.',
    '1767323046',
  ),
  header(
    'webhook-signature',
    'Signature (Standard Webhooks): `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`. During a secret rotation, two signatures separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const EVENT_HEADERS = [
  ...HEADERS,
  header('webhook-attempt', 'Number of the attempt, from 1.', '1'),
  header('webhook-sequence', 'The `sequence` of the body.', '2'),
];

const ACTION_HEADERS = [
  ...HEADERS,
  header('idempotency-key', 'Same as `webhook-id`.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2b22'),
];

const RESPONSES = {
  '2XX': {
    description:
      'Acknowledged. Any other response is retried: five attempts within a minute, then eight over three days.',
  },
  '410': { description: 'The endpoint is gone. No further webhooks are sent to this URL.' },
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

const PRE_CALL = {
  post: {
    ...operation(
      'onPreCall',
      'A call is about to be placed or answered',
      'Sent to the `pre_call_webhook` of the agent before an outbound call is dialled, and while the phone of an inbound caller rings. The call waits up to three seconds for the response; on failure, `on_error` of the webhook decides. It is not retried; after a crash, the request is repeated with the same `webhook-id`.',
      'PreCallEventDto',
    ),
    parameters: ACTION_HEADERS,
    responses: {
      '2XX': {
        description: 'The call goes on with these changes, or ends as `cancelled`. An empty response changes nothing.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/PreCallAnswerDto' } } },
      },
    },
  },
};

const CAMPAIGN = {
  post: {
    ...operation(
      'onCampaign',
      'A campaign was started, paused or completed',
      'Sent to the `webhook` of the campaign, also when its failure rate paused it. The `sequence` counts the webhooks of the campaign.',
      'CampaignEventDto',
    ),
    tags: ['Webhooks'],
  },
};

const CALL_ANALYSIS = {
  post: operation(
    'onCallAnalysis',
    'An analysis of a call has ended',
    'Sent to the `post_call_webhook_url` of the call after each of its analyses, also after one that failed. With the method GET there, it is sent by POST.',
    'CallAnalysisEventDto',
  ),
};

const TEST_RUN = {
  post: {
    ...operation(
      'onTestRun',
      'A test run has ended',
      'Sent to the `webhook_url` of the run or of the test schedule.',
      'TestRunEventDto',
    ),
    tags: ['Webhooks'],
  },
};

const TEST = {
  post: {
    ...operation(
      'onTest',
      'A webhook was tested',
      'Sent once by `POST /api/v1/webhooks/test`, signed like all webhooks.',
      'TestEventDto',
    ),
    tags: ['Webhooks'],
    responses: { '2XX': { description: 'Acknowledged. Tests are not retried.' } },
  },
};

/** The `webhooks` section of the OpenAPI document. */
export const webhookOperations = (): OpenAPIObject['webhooks'] => ({
  'call-status': {
    post: operation(
      'onCallStatus',
      'A call changed its status',
      'Sent to the `call_status_webhook_url` of the call after every status change, with the configured method and headers.',
      'CallStatusEventDto',
    ),
  },
  'post-call': {
    post: operation(
      'onPostCall',
      'A call has ended',
      'Sent once to the `post_call_webhook_url` of the call, after recording, transcript and costs are stored. With the method GET, there is no body; the query contains `id`, `type`, `call_id` and `status`.',
      'PostCallEventDto',
    ),
  },
  'call-analysis': CALL_ANALYSIS,
  'tool-result': {
    post: operation(
      'onToolResult',
      'A background tool reported its result after the end of its call',
      'Sent to the `post_call_webhook_url` of the call. Results that arrive during the call are in the post-call webhook.',
      'ToolResultEventDto',
    ),
  },
  'pre-call': PRE_CALL,
  campaign: CAMPAIGN,
  'test-run': TEST_RUN,
  test: TEST,
  'tool-action': {
    post: {
      ...operation(
        'onToolAction',
        'An agent invoked a tool',
        'Sent for each webhook action of the tool, with the method, URL, headers and query of the action. This is the body of an action without a payload; GET and DELETE have no body.',
        'ToolActionBodyDto',
      ),
      tags: ['Tools'],
      parameters: ACTION_HEADERS,
      responses: {
        '2XX': {
          description:
            'With `wait_response`, the agent receives this response, as JSON or text. Otherwise it acknowledges the request, and any other response is retried.',
        },
      },
    },
  },
});
