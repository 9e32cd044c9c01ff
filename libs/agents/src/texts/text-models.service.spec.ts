import { loadEnv } from '@app/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { chunkOf, END, EVENT_STREAM, RawServer } from '../../../../test/support/raw-server.js';
import { TextModelFailed, TextModelsService } from './text-models.service.js';

type ModelQuestion = Parameters<TextModelsService['ask']>[0];

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, nights: { type: 'integer' } },
  required: ['city'],
  additionalProperties: false,
};
const ASKED: ModelQuestion = { system: 'Extract.', prompt: 'To Bonn, please.', schema: SCHEMA };
const KEY = 'secret-key-4711';

let server: RawServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const streamed = (response: ServerResponse, ...chunks: string[]): void => {
  response.writeHead(200, EVENT_STREAM);
  response.end(chunks.join(''));
};

const USAGE = { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } };
const said = (text: string): string[] => [chunkOf({ content: text }), chunkOf({}, 'stop', USAGE), END];

/** Models of a server with these answers, one per request. */
async function modelsWith(...answers: ((response: ServerResponse) => void)[]): Promise<TextModelsService> {
  let asked = 0;
  server = await RawServer.start((response) => answers[Math.min(asked++, answers.length - 1)]?.(response));
  return modelsAt({ COMPATIBLE_URL: `http://127.0.0.1:${server.port}/v1`, ANALYSIS_MODEL: 'openai-compatible:tiny' });
}

const modelsAt = (variables: Record<string, string>): TextModelsService =>
  new TextModelsService(loadEnv({ COMPATIBLE_API_KEY: KEY, ...variables }));

const texts = (...answers: string[]) =>
  modelsWith(...answers.map((text) => (one: ServerResponse) => streamed(one, ...said(text))));

async function failureOf(models: TextModelsService, question: Partial<ModelQuestion> = {}): Promise<TextModelFailed> {
  const error: unknown = await models.ask({ ...ASKED, ...question }).catch((reason: unknown) => reason);
  if (!(error instanceof TextModelFailed)) throw error;
  return error;
}

describe('a structured answer', () => {
  it.each([
    ['plain JSON', '{"city":"Bonn"}'],
    ['a Markdown fence', 'Here you are:\n```json\n{"city":"Bonn"}\n```\nAnything else?'],
    ['a sentence around it', 'The answer is {"city":"Bonn"}.'],
    ['thoughts before it', '<think>{"city":"Rome"}?</think>{"city":"Bonn"}'],
  ])('is read from %s', async (_, text) => {
    const { value, usage, model } = await (await texts(text)).ask(ASKED);
    expect(value).toEqual({ city: 'Bonn' });
    expect(model).toBe('openai-compatible:tiny');
    expect(usage).toContainEqual(expect.objectContaining({ kind: 'input_text_tokens', quantity: 0.1, source: model }));
  });

  it('is asked for as JSON, with the schema in the instructions', async () => {
    await (await texts('{"city":"Bonn"}')).ask(ASKED);
    const body = JSON.parse(server!.requests[0]!.body) as { messages: { content: string }[]; response_format: unknown };
    expect(body.response_format).toEqual({ type: 'json_object' });
    expect(body.messages[0]?.content).toContain(JSON.stringify(SCHEMA));
  });

  it.each([
    ['no JSON', 'Bonn!', 'the answer is not one JSON object'],
    ['a list', '[1]', 'the answer is not one JSON object'],
    ['another type', '{"city":5}', 'city: must be string'],
    ['a field of its own', '{"city":"Bonn","hotel":"x"}', 'hotel: is not a parameter'],
  ])('that has %s is repaired once, with the reason in the second request', async (_, wrong, reason) => {
    const { value, usage } = await (await texts(wrong, '{"city":"Bonn"}')).ask(ASKED);
    expect(value).toEqual({ city: 'Bonn' });
    expect(usage).toContainEqual(expect.objectContaining({ kind: 'input_text_tokens', quantity: 0.2 }));
    expect(server?.requests).toHaveLength(2);
    expect(server?.requests[1]?.body).toContain(reason);
  });

  it('is repaired for reasons of the caller as well', async () => {
    const check = ({ city }: Record<string, unknown>) => (city === 'Rome' ? ['city: is not in the conversation'] : []);
    const { value } = await (await texts('{"city":"Rome"}', '{"city":"Bonn"}')).ask({ ...ASKED, check });
    expect(value).toEqual({ city: 'Bonn' });
  });

  it('that is wrong twice fails with the reason and the usage of both attempts', async () => {
    const failure = await failureOf(await texts('{"city":5}'));
    expect(failure).toMatchObject({ code: 'invalid_answer', message: expect.stringContaining('city: must be string') });
    expect(failure.usage).toContainEqual(expect.objectContaining({ kind: 'output_text_tokens', quantity: 0.04 }));
    expect(server?.requests).toHaveLength(2);
  });
});

describe('a text model that does not answer', () => {
  it('is unavailable without a configuration', async () => {
    expect(await modelsAt({}).isAvailable()).toBe(false);
    expect(await failureOf(modelsAt({}))).toMatchObject({ code: 'unavailable' });
    expect(await modelsAt({ SUMMARY_MODEL: 'x', ANALYSIS_MODEL: 'none' }).isAvailable()).toBe(false);
  });

  it('is unavailable when the sandbox would play its vendor', async () => {
    const models = modelsAt({ ANTHROPIC_URL: 'sandbox', ANALYSIS_MODEL: 'anthropic:x' });
    expect(await models.problem()).toContain('sandbox');
  });

  it('is that of the summaries when the operator names no other', async () => {
    server = await RawServer.start((response) => streamed(response, ...said('{"city":"Bonn"}')));
    const models = modelsAt({ SUMMARY_MODEL: 'small', SUMMARY_URL: `http://127.0.0.1:${server.port}/v1/responses` });
    expect((await models.ask(ASKED)).model).toBe('openai-compatible:small');
    expect(server.requests[0]?.url).toBe('/v1/chat/completions');
  });

  it('is not asked again when it refuses the key, which no message contains', async () => {
    const models = await modelsWith(
      (response) => void response.writeHead(401).end(`{"error":{"message":"Bad ${KEY}"}}`),
    );
    const failure = await failureOf(models);
    expect(failure.code).toBe('unavailable');
    expect(failure.message).not.toContain(KEY);
    expect(server?.requests).toHaveLength(1);
  });

  it('is busy at its rate limit', async () => {
    expect(await failureOf(await modelsWith((one) => void one.writeHead(429).end()))).toMatchObject({ code: 'busy' });
  });

  it('ends at the time limit', async () => {
    const failure = await failureOf(await modelsWith(() => undefined), { timeoutMs: 50 });
    expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('0.05 s') });
  });

  it('rejects with the reason of the signal', async () => {
    const models = await modelsWith(() => undefined);
    const stopping = new AbortController();
    const asked = models.ask({ ...ASKED, signal: stopping.signal });
    stopping.abort(new Error('shutdown'));
    await expect(asked).rejects.toThrow('shutdown');
  });

  it('is cut off in an answer of a megabyte', async () => {
    const models = await modelsWith((one) =>
      streamed(one, ...Array<string>(100).fill(chunkOf({ content: 'a'.repeat(10_000) })), ...said('')),
    );
    expect(await failureOf(models)).toMatchObject({
      code: 'invalid_answer',
      message: expect.stringContaining('longer than'),
    });
  });
});
