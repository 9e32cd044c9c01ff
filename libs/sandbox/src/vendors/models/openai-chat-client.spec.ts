import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI, { type APIError } from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { formatInjectedNote, keysPressed, sayExactly, YOUR_TURN } from '@app/voice';
import { aServer, closeServers, MODEL_SCRIPT, registered, STORY } from '../../../test/model-server.js';
import type { SandboxServer } from '../../server/sandbox-server.js';

afterEach(closeServers);

const WEATHER: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** OpenAI's own client of our server. */
const clientOf = (server: SandboxServer, apiKey = server.key): OpenAI =>
  new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${server.port}/v1`, maxRetries: 0 });

const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });
const agent = (content: string): ChatCompletionMessageParam => ({ role: 'assistant', content });
const failure = (promise: Promise<unknown>): Promise<APIError> =>
  promise.then(
    () => Promise.reject(new Error('The request was accepted.')),
    (error: APIError) => error,
  );

async function answerTo(messages: ChatCompletionMessageParam[]): Promise<string | null | undefined> {
  const openai = clientOf(await aServer(MODEL_SCRIPT));
  const { choices } = await openai.chat.completions.create({ model: 'sandbox', messages });
  return choices[0]?.message.content;
}

describe("OpenAI's own client of chat completions", () => {
  it('receives an answer at once or in small parts, with the same words and usage', async () => {
    const openai = clientOf(await aServer(MODEL_SCRIPT));
    const request = { model: 'sandbox', messages: [user('Tell me a story.')] };
    const whole = await openai.chat.completions.create(request);
    const stream = openai.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    const parts: string[] = [];
    stream.on('content', (part) => parts.push(part));
    const streamed = await stream.finalChatCompletion();
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: STORY } });
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.join('')).toBe(STORY);
    expect(streamed.choices[0]?.message.content).toBe(STORY);
    expect(streamed.usage).toEqual(whole.usage);
    expect(whole.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: Math.ceil(STORY.length / 4) });
  });

  it.each([true, false])('calls a tool, and answers with its result (stream: %s)', async (streams) => {
    const openai = clientOf(await aServer(MODEL_SCRIPT));
    const messages = [user('What is the weather in Oslo and Rome?')];
    const complete = async () => {
      const request = { model: 'sandbox', messages, tools: [WEATHER] };
      return streams
        ? openai.chat.completions.stream(request).finalChatCompletion()
        : openai.chat.completions.create(request);
    };
    const [choice] = (await complete()).choices;
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(calls.map((call) => call.function)).toMatchObject([
      { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { name: 'get_weather', arguments: '{"city":"Rome"}' },
    ]);
    messages.push({ role: 'assistant', content: choice!.message.content, tool_calls: calls });
    for (const { id } of calls)
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify({ city: 'Rome', sky: 'blue' }) });
    const [next] = (await complete()).choices;
    expect(next?.message.content).toBe('The sky over Rome is blue.');
  });

  it.each<[string, ChatCompletionMessageParam[], string]>([
    ['the opening', [user(YOUR_TURN)], 'Tea house, hello.'],
    ['words to say', [user('Hello?'), { role: 'system', content: sayExactly('One moment.') }], 'One moment.'],
    ['keys', [agent('Tea house, hello.'), user(keysPressed('12'))], 'You chose 12.'],
    [
      'a note',
      [user('Hi'), agent('Hi.'), { role: 'system', content: formatInjectedNote('The shop closes.') }],
      'So late?',
    ],
    ['unrecognised speech', [user('[speech 1.2 s]')], 'I heard you.'],
    ['the second utterance', [user('[speech 1.2 s]'), agent('I heard you.'), user('[speech 2.0 s]')], 'Once more?'],
    ['two texts at once', [user('Hello\n\n[speech 1.2 s]')], 'I heard you.'],
    ['the first words again', [agent('Good day.'), user(keysPressed('*'))], 'Good day.'],
    [
      'the rest of an answer that was cut off',
      [user('A story'), agent(STORY.slice(0, 40)), { role: 'system', content: 'Continue.' }],
      STORY.slice(41),
    ],
    [
      'a note after a complete answer',
      [user('A story'), agent(STORY), { role: 'system', content: 'Continue.' }],
      'Sorry, I was away for a moment. Please go on.',
    ],
    ['nothing new', [user('Hi'), agent('Hi.')], 'Sorry, I was away for a moment. Please go on.'],
  ])('answers %s', async (_, messages, expected) => {
    expect(await answerTo(messages)).toBe(expected);
  });

  it('plays a script by the name of the model, and knows no other scripts', async () => {
    const server = await aServer();
    const model = await registered(server, { rules: [{ on: { text: 'hello' }, say: 'From a script.' }] });
    const openai = clientOf(server);
    const { choices } = await openai.chat.completions.create({ model, messages: [user('Hello')] });
    expect(choices[0]?.message.content).toBe('From a script.');
    const unknown = `script-${'0'.repeat(64)}`;
    const error = await failure(openai.chat.completions.create({ model: unknown, messages: [user('Hello')] }));
    expect([error.status, error.code]).toEqual([404, 'model_not_found']);
  });

  it('is refused with a wrong key, without messages, and with calls that have no result', async () => {
    const server = await aServer(MODEL_SCRIPT);
    const wrongKey = clientOf(server, 'wrong').chat.completions.create({ model: 'm', messages: [user('Hi')] });
    expect(await failure(wrongKey)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    const openai = clientOf(server);
    const empty = openai.chat.completions.create({ model: 'm', messages: [] });
    expect(await failure(empty)).toMatchObject({ status: 400, type: 'invalid_request_error' });
    const call = { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const open = openai.chat.completions.create({
      model: 'm',
      messages: [{ role: 'assistant', tool_calls: [call] }, user('And now?')],
    });
    expect((await failure(open)).message).toContain('did not have response messages: c1');
  });

  it.each([
    [
      { do: 'refuse', status: 503 },
      { status: 503, type: 'server_error' },
    ],
    [
      { do: 'refuse', status: 401 },
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      { do: 'rate_limit', retry_after_seconds: 7 },
      { status: 429, code: 'rate_limit_exceeded' },
    ],
  ])('is refused once by the fault %j', async (fault, expected) => {
    const server = await aServer({ ...MODEL_SCRIPT, legs: { model: [{ ...fault, requests: 1 }] } });
    const openai = clientOf(server);
    const request = { model: 'sandbox', messages: [user(YOUR_TURN)] };
    const error = await failure(openai.chat.completions.create(request));
    expect(error).toMatchObject(expected);
    expect(error.headers?.get('retry-after')).toBe('retry_after_seconds' in fault ? '7' : null);
    const { choices } = await openai.chat.completions.create(request);
    expect(choices[0]?.message.content).toBe('Tea house, hello.');
  });
});
