import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { SessionEvent } from '@app/voice';
import { SummaryModelService } from './summary-model.service.js';

const CALL: SessionEvent[] = [
  turn('callee', 'Where is my parcel?', 2_000),
  turn('agent', 'Hello.', 0),
  { at_ms: 3_000, type: 'dtmf_input', digits: '4711' },
  {
    at_ms: 4_000,
    type: 'tool_call',
    tool_call_id: 't',
    name: 'track',
    arguments: { n: 4711 },
    result: { city: 'Bonn' },
    ok: true,
    started_ms: 3_100,
    ended_ms: 4_000,
  },
  { at_ms: 9_000, type: 'ended', ended_by: 'callee', cause: 'normal_clearing' },
];

function turn(role: 'agent' | 'callee', text: string, started_ms: number): SessionEvent {
  return {
    at_ms: started_ms,
    type: 'turn',
    turn: 1,
    role,
    text,
    started_ms,
    ended_ms: started_ms + 500,
    truncated: false,
  };
}

const servers: Server[] = [];
const models: SummaryModelService[] = [];

afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.onApplicationShutdown()));
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An endpoint that sends this response, or never responds. */
async function endpoint(path: string, answer?: { status?: number; body: unknown }) {
  const requests: { url?: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    requests.push({ url: request.url, headers: request.headers, body });
    if (!answer) return;
    response.statusCode = answer.status ?? 200;
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  };
  const server = createServer((request, response) => void reply(request, response)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const model = new SummaryModelService({ SUMMARY_MODEL: 'm', SUMMARY_URL: url, SUMMARY_API_KEY: 'k3y' });
  models.push(model);
  return { requests, model };
}

const chat = (content: unknown) => ({
  choices: [{ message: { content } }],
  usage: { prompt_tokens: 1_200, completion_tokens: 60, prompt_tokens_details: { cached_tokens: 200 } },
});

const responses = {
  output: [
    { type: 'reasoning', summary: [] },
    { type: 'message', content: [{ type: 'output_text', text: 'A parcel was looked for.' }] },
  ],
  usage: { input_tokens: 1_200, output_tokens: 60, input_tokens_details: { cached_tokens: 200 } },
};

describe('a summary by a model', () => {
  it('is not made when no model is configured', async () => {
    const model = new SummaryModelService({});
    models.push(model);
    expect(await model.summarise(CALL, 'caller')).toBeUndefined();
  });

  it.each([
    ['chat completions below a base', '/v1', chat('A parcel was looked for.'), '/v1/chat/completions'],
    ['responses', '/v1/responses', responses, '/v1/responses'],
  ])('is requested through %s and has the text and the usage', async (_, path, body, url) => {
    const { requests, model } = await endpoint(path, { body });
    const source = 'summary:m';
    const unit = 'thousand_tokens';
    expect(await model.summarise(CALL, 'caller')).toEqual({
      text: 'A parcel was looked for.',
      usage: [
        { kind: 'input_text_tokens', quantity: 1, unit, source },
        { kind: 'cached_text_tokens', quantity: 0.2, unit, source },
        { kind: 'output_text_tokens', quantity: 0.06, unit, source },
      ],
    });
    expect(requests[0]?.url).toBe(url);
    expect(requests[0]?.headers.authorization).toBe('Bearer k3y');
  });

  it('is made from turns, keys and tool calls in their order', async () => {
    const { requests, model } = await endpoint('/v1', { body: chat('Short.') });
    await model.summarise(CALL, 'caller');
    const [, user] = requests[0]!.body.messages as { content: string }[];
    expect(user?.content.split('\n')).toEqual([
      'Agent: Hello.',
      'Caller: Where is my parcel?',
      '[Keys pressed: 4711]',
      '[Tool track, called with {"n":4711}, gave {"city":"Bonn"}]',
      '[The call ended: normal_clearing, by callee]',
    ]);
  });

  it('is not requested for a call without a spoken turn', async () => {
    const { requests, model } = await endpoint('/v1', { body: chat('Invented.') });
    expect(await model.summarise(CALL.slice(2), 'callee')).toBeUndefined();
    expect(requests).toEqual([]);
  });

  it.each([
    [
      'that responds with an error',
      { status: 401, body: { error: 'k3y is wrong' } },
      'The summary endpoint answered 401.',
    ],
    ['that responds with blank text', { body: chat('  ') }, 'The summary endpoint returned no text.'],
    ['that responds with HTML', { body: '<html>' }, 'The summary endpoint returned no text.'],
    ['that responds without text', { body: chat(null) }, 'The summary endpoint returned no text.'],
    ['that does not respond', undefined, 'The summary endpoint did not respond in time.'],
  ])('fails with an error message for an endpoint %s', async (_, answer, message) => {
    const { model } = await endpoint('/v1', answer);
    await expect(model.summarise(CALL, 'callee', { timeoutMs: answer ? undefined : 100 })).rejects.toThrow(message);
  });
});
