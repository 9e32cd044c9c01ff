import { afterEach, describe, expect, it } from '@jest/globals';
import { type ApiError, type Content, GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import { runInThisContext } from 'node:vm';
import { aServer, closeServers, MODEL_SCRIPT, STORY } from '../../../test/model-server.js';
import type { SandboxServer } from '../../server/sandbox-server.js';

afterEach(closeServers);

// Google's client sends its requests by a property of Node's global object, which the global object of Jest does not have.
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
const node = runInThisContext('new Headers(), globalThis') as Record<symbol, unknown>;
Object.assign(globalThis, { [DISPATCHER]: node[DISPATCHER] });

const WEATHER = {
  functionDeclarations: [
    {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'OBJECT' as never, properties: { city: { type: 'STRING' as never } }, required: ['city'] },
    },
  ],
};
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const QUESTION = user('What is the weather in Oslo and Rome?');

/** Google's own client of our server. */
const clientOf = ({ port, key }: SandboxServer, apiKey = key): GoogleGenAI =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `http://127.0.0.1:${port}` } });

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => Promise.reject(new Error('The request was accepted.')),
    (error: ApiError) => error,
  );

async function streamed(google: GoogleGenAI, contents: Content[], model = 'sandbox') {
  const chunks: GenerateContentResponse[] = [];
  const config = { tools: [WEATHER] };
  for await (const chunk of await google.models.generateContentStream({ model, contents, config })) chunks.push(chunk);
  return chunks;
}

describe("Google's own client of generateContent", () => {
  it('receives an answer at once or in small parts, with the same words and usage', async () => {
    const google = clientOf(await aServer(MODEL_SCRIPT));
    const contents = [user('Tell me a story.')];
    const whole = await google.models.generateContent({ model: 'sandbox', contents });
    const chunks = await streamed(google, contents);
    expect(whole.text).toBe(STORY);
    expect(whole.candidates?.[0]?.finishReason).toBe('STOP');
    expect(chunks.length).toBeGreaterThan(20);
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe(STORY);
    expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata);
    expect(whole.usageMetadata).toMatchObject({
      promptTokenCount: 4,
      candidatesTokenCount: Math.ceil(STORY.length / 4),
    });
  });

  it.each(['sandbox', 'gemini-3-sandbox'])('calls functions, and answers with their results (%s)', async (model) => {
    const google = clientOf(await aServer(MODEL_SCRIPT));
    const chunks = await streamed(google, [QUESTION], model);
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    const calls = chunks.flatMap(({ functionCalls = [] }) => functionCalls);
    expect(calls).toMatchObject([
      { name: 'get_weather', args: { city: 'Oslo' } },
      { name: 'get_weather', args: { city: 'Rome' } },
    ]);
    expect(parts.filter(({ thoughtSignature }) => thoughtSignature)).toHaveLength(1);
    const response = { output: { city: 'Rome', sky: 'blue' } };
    const results: Content = {
      role: 'user',
      parts: calls.map(({ name }) => ({ functionResponse: { name, response } })),
    };
    const contents = [QUESTION, { role: 'model', parts }, results];
    const whole = await google.models.generateContent({ model, contents, config: { tools: [WEATHER] } });
    expect(whole.text).toBe('The sky over Rome is blue.');
  });

  it.each<[string, Record<string, unknown>]>([
    ['an object', { city: 'Rome', sky: 'blue', name: 'Lazio' }],
    ['an output', { output: { city: 'Rome', sky: 'blue' } }],
    ['a content with its name', { name: 'get_weather', content: { city: 'Rome', sky: 'blue' } }],
    ['a text', { result: '{"city":"Rome","sky":"blue"}' }],
  ])('may send the result of a function as %s', async (_, response) => {
    const google = clientOf(await aServer(MODEL_SCRIPT));
    const name = 'get_weather';
    const contents: Content[] = [
      QUESTION,
      { role: 'model', parts: [{ functionCall: { name, args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name, response } }] },
    ];
    const { text } = await google.models.generateContent({ model: 'sandbox', contents });
    expect(text).toBe('The sky over Rome is blue.');
  });

  it.each<[string, Content[], string]>([
    [
      'a call without a response',
      [QUESTION, { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] }, user('And?')],
      'the number of function response parts',
    ],
    [
      'a call at the beginning',
      [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
      'immediately after a user turn',
    ],
    [
      'a call of the current turn without its signature',
      [
        QUESTION,
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
      'missing a thought_signature',
    ],
  ])('%s is refused, as by the service', async (_, contents, message) => {
    const google = clientOf(await aServer(MODEL_SCRIPT));
    const error = await failure(google.models.generateContent({ model: 'gemini-3-sandbox', contents }));
    expect(error.status).toBe(400);
    expect(JSON.parse(error.message)).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) },
    });
  });

  it('a schema beyond the subset of the service is refused', async () => {
    const google = clientOf(await aServer(MODEL_SCRIPT));
    const parameters = { type: 'OBJECT' as never, properties: {} };
    const config = { tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] };
    const error = await failure(google.models.generateContent({ model: 'sandbox', contents: 'Hi', config }));
    expect(error.message).toContain('should be non-empty');
  });

  it.each([
    [{ do: 'refuse', status: 503 }, 503, 'UNAVAILABLE', ''],
    [{ do: 'rate_limit', retry_after_seconds: 7 }, 429, 'RESOURCE_EXHAUSTED', '"retryDelay":"7s"'],
  ])('is refused by the fault %j', async (fault, status, name, detail) => {
    const server = await aServer({ legs: { model: [fault] } });
    const error = await failure(clientOf(server).models.generateContent({ model: 'sandbox', contents: 'Hi' }));
    expect(error.status).toBe(status);
    expect(error.message).toContain(`"status":"${name}"`);
    expect(error.message).toContain(detail);
  });

  it('is refused with a wrong key and for an unknown script', async () => {
    const server = await aServer();
    const wrong = clientOf(server, 'wrong').models.generateContent({ model: 'sandbox', contents: 'Hi' });
    expect((await failure(wrong)).message).toContain('API_KEY_INVALID');
    const model = `script-${'0'.repeat(64)}`;
    const unknown = await failure(clientOf(server).models.generateContent({ model, contents: 'Hi' }));
    expect([unknown.status, unknown.message]).toEqual([404, expect.stringContaining('is not found')]);
  });
});
