import { afterEach, describe, expect, it } from '@jest/globals';
import Anthropic, { type APIError } from '@anthropic-ai/sdk';
import type { MessageParam, RawMessageStreamEvent, Tool } from '@anthropic-ai/sdk/resources/messages';
import { aServer, closeServers, MODEL_SCRIPT, STORY } from '../../../test/model-server.js';
import type { SandboxServer } from '../../server/sandbox-server.js';

afterEach(closeServers);

const WEATHER: Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const QUESTION: MessageParam = { role: 'user', content: 'What is the weather in Oslo and Rome?' };

/** Anthropic's own client of our server. */
const clientOf = ({ port, key }: SandboxServer, apiKey = key): Anthropic =>
  new Anthropic({ apiKey, baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });

const request = (...messages: MessageParam[]) => ({ model: 'sandbox', max_tokens: 500, messages });

const failure = (promise: Promise<unknown>): Promise<APIError> =>
  promise.then(
    () => Promise.reject(new Error('The request was accepted.')),
    (error: APIError) => error,
  );

describe("Anthropic's own client of messages", () => {
  it('receives an answer at once or in small parts, with the same words and usage', async () => {
    const anthropic = clientOf(await aServer(MODEL_SCRIPT));
    const story = request({ role: 'user', content: 'Tell me a story.' });
    const whole = await anthropic.messages.create(story);
    const stream = anthropic.messages.stream(story);
    const parts: string[] = [];
    const events: RawMessageStreamEvent['type'][] = [];
    stream.on('text', (part) => parts.push(part));
    stream.on('streamEvent', ({ type }) => void (events.at(-1) === type || events.push(type)));
    const streamed = await stream.finalMessage();
    expect(whole).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
    expect(whole.content).toEqual([{ type: 'text', text: STORY, citations: null }]);
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.join('')).toBe(STORY);
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.usage).toMatchObject({ input_tokens: 4, output_tokens: Math.ceil(STORY.length / 4) });
    expect(streamed.usage).toMatchObject(whole.usage);
    expect(events).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it.each([true, false])('calls a tool, and answers with its result (stream: %s)', async (streams) => {
    const anthropic = clientOf(await aServer(MODEL_SCRIPT));
    const ask = (...messages: MessageParam[]) => {
      const asked = { ...request(...messages), tools: [WEATHER] };
      return streams ? anthropic.messages.stream(asked).finalMessage() : anthropic.messages.create(asked);
    };
    const first = await ask(QUESTION);
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Oslo' } },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Rome' } },
    ]);
    const results = first.content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '{"city":"Rome","sky":"blue"}' }]
        : [],
    );
    const second = await ask(
      QUESTION,
      { role: 'assistant', content: first.content as MessageParam['content'] },
      { role: 'user', content: results },
    );
    expect(second.content).toMatchObject([{ text: 'The sky over Rome is blue.' }]);
  });

  it('reads tokens from the cache only after a mark', async () => {
    const anthropic = clientOf(await aServer(MODEL_SCRIPT));
    const text = 'You sell tea. '.repeat(60);
    const messages: MessageParam[] = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Tell me a story.' },
    ];
    const marked = [{ type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } }];
    const { usage: without } = await anthropic.messages.create({ ...request(...messages), system: text });
    const { usage: cached } = await anthropic.messages.create({ ...request(...messages), system: marked });
    expect(without.cache_read_input_tokens).toBe(0);
    expect(cached.cache_read_input_tokens).toBe(192);
    expect(cached.input_tokens + 192).toBe(without.input_tokens);
  });

  it.each<[string, object, string]>([
    [
      'a conversation that begins with the agent',
      { messages: [{ role: 'assistant', content: 'Hi' }] },
      'first message',
    ],
    ['an empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'non-whitespace'],
    ['no limit of tokens', { max_tokens: undefined }, 'max_tokens'],
    [
      'a call without a result',
      {
        tools: [WEATHER],
        messages: [
          QUESTION,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'get_weather', input: {} }] },
          { role: 'user', content: 'And?' },
        ],
      },
      '`tool_use` ids were found without `tool_result` blocks immediately after: t1',
    ],
    [
      'a result without a call',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] }] },
      'unexpected `tool_use_id`',
    ],
    [
      'calls without definitions of tools',
      {
        messages: [
          QUESTION,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'get_weather', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
        ],
      },
      'must define tools',
    ],
  ])('%s is refused, as by the service', async (_, fields, message) => {
    const anthropic = clientOf(await aServer(MODEL_SCRIPT));
    const error = await failure(anthropic.messages.create({ ...request(QUESTION), ...fields }));
    expect([error.status, error.type]).toEqual([400, 'invalid_request_error']);
    expect(error.message).toContain(message);
  });

  it.each([
    [
      { do: 'refuse', status: 503 },
      { status: 503, type: 'overloaded_error' },
    ],
    [
      { do: 'refuse', status: 500 },
      { status: 500, type: 'api_error' },
    ],
    [
      { do: 'rate_limit', retry_after_seconds: 7 },
      { status: 429, type: 'rate_limit_error' },
    ],
  ])('is refused by the fault %j', async (fault, expected) => {
    const server = await aServer({ legs: { model: [fault] } });
    expect(await failure(clientOf(server).messages.create(request(QUESTION)))).toMatchObject(expected);
  });

  it('is refused with a wrong key and for an unknown script', async () => {
    const server = await aServer();
    const wrong = await failure(clientOf(server, 'wrong').messages.create(request(QUESTION)));
    expect(wrong).toMatchObject({ status: 401, type: 'authentication_error' });
    const model = `script-${'0'.repeat(64)}`;
    const unknown = await failure(clientOf(server).messages.create({ ...request(QUESTION), model }));
    expect(unknown).toMatchObject({ status: 404, type: 'not_found_error' });
  });
});
