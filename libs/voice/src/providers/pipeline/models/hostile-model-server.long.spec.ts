import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EventEmitter, getEventListeners, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { answerOf, asked, modelOf, type VendorName, VENDORS } from '../../../../test/model-answers.js';
import { chunkOf, END, EVENT_STREAM, RawServer } from '../../../../../../test/support/raw-server.js';
import { TestClock } from '../../../../test/test-clock.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { GenerationRequest } from '../ports.js';

const TOOLS: GenerationRequest['tools'] = [{ name: 'order', description: '', parameters: { type: 'object' } }];
const COMPATIBLE = 'openai-compatible';

let server: RawServer | undefined;
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', onUnhandled));
afterAll(() => void process.off('unhandledRejection', onUnhandled));
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** A model of a server with these answers. */
async function modelWith(
  answer: Parameters<(typeof RawServer)['start']>[0],
  vendor: VendorName = COMPATIBLE,
  ...more: Parameters<typeof modelOf> extends [unknown, unknown, ...infer Rest] ? Rest : never
) {
  server = await RawServer.start(answer);
  return modelOf(vendor, server, ...more);
}

const streamed =
  (...pieces: (string | Buffer)[]) =>
  async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, EVENT_STREAM);
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    response.end();
  };

/** A model whose answers are known to begin with their words, as its first one did. */
async function knownModelWith(answer: Parameters<typeof modelWith>[0], clock?: TestClock) {
  let isKnown = false;
  const model = await modelWith(
    (response, request) => (isKnown ? answer(response, request) : streamed(textOf('Hello.'), DONE)(response)),
    COMPATIBLE,
    {},
    clock,
  );
  await answerOf(model, asked('Hi'));
  isKnown = true;
  return model;
}

const until = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await new Promise((resolve) => setImmediate(resolve));
};

const textOf = (text: string): string => chunkOf({ content: text });
const DONE = chunkOf({}, 'stop') + END;

describe.each(VENDORS)('a faulty server of %s', (vendor) => {
  it.each<[string, (response: ServerResponse) => void | Promise<void>]>([
    ['a page instead of a stream', (response) => void response.end('<html>Welcome</html>')],
    ['nothing', (response) => void response.end()],
    ['no HTTP', (response) => void response.socket?.end('\u0000\u0001 garbage\r\n\r\n')],
    ['an empty stream', streamed()],
    ['a stream without an end', streamed('event: ping\ndata: {"type": "ping"}\n\n')],
    ['JSON of another kind', streamed('data: 5\n\ndata: null\n\ndata: []\n\n')],
    [
      'objects without fields',
      streamed('data: {}\n\n', 'data: {"choices":[{}],"candidates":[{}],"type":"message_start"}\n\n'),
    ],
    ['fields of other types', streamed('data: {"choices":5,"candidates":"x","type":7,"message":[]}\n\n')],
    ['half a document', streamed('data: {"choices":[{"delta":{"cont')],
    ['a status without a body', (response) => void response.writeHead(204).end()],
    ['an odd status', (response) => void response.writeHead(599).end('{')],
    ['an odd type', (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(99))],
    ['a cut connection', (response) => void response.destroy()],
    [
      'a cut in the middle of a response',
      async (response) => {
        response.writeHead(200, { 'content-length': '1000', 'content-type': 'text/event-stream' });
        await new Promise((resolve) => response.write('data: {', resolve));
        response.destroy();
      },
    ],
  ])('that answers with %s is reported', async (_, answer) => {
    const model = await modelWith(answer, vendor);
    const { error, text, calls } = await answerOf(model, asked('Hi', { tools: TOOLS }));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ProviderBusy);
    expect([text, calls]).toEqual(['', []]);
  });

  const message = (text: string, more: object = {}) => JSON.stringify({ error: { message: text, ...more } });

  it.each<[number, { headers?: Record<string, string>; body?: string }, string]>([
    [403, { body: message('Denied for secret-key') }, 'rejected the key (HTTP 403): Denied for …'],
    [404, { body: message('No such model') }, 'no such address or model (HTTP 404): No such model'],
    [402, { body: 'Payment required' }, '(HTTP 402)'],
    [302, { headers: { location: 'http://127.0.0.1:9/' } }, '(HTTP 302)'],
    [
      429,
      { body: message('Pay.', { code: 'insufficient_quota' }) },
      'refused the connection (insufficient_quota): Pay.',
    ],
  ])('that answers with status %i is not asked again', async (status, { headers, body }, expected) => {
    const model = await modelWith((response) => void response.writeHead(status, headers).end(body), vendor);
    const { error } = await answerOf(model, asked('Hi'));
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect(error?.message).toContain(expected);
    expect(server?.requests).toHaveLength(1);
  });

  it.each([
    [503, { 'retry-after': '2' }, '', 2_000],
    [429, { 'retry-after': '3' }, '[]', 3_000],
    [429, { 'retry-after-ms': '350' }, '{}', 350],
    [429, {}, 'Too many requests', 1_000],
    [529, {}, message('Overloaded', { type: 'overloaded_error' }), 1_000],
  ])('that answers with status %i and %j is busy for a time', async (status, headers, body, pauseMs) => {
    const model = await modelWith((response) => void response.writeHead(status, headers).end(body), vendor);
    const { error } = await answerOf(model, asked('Hi'));
    expect(error).toBeInstanceOf(ProviderBusy);
    expect(error).toMatchObject({ retryAfterMs: pauseMs });
    expect(server?.requests).toHaveLength(1);
  });

  it.each([408, 409, 500, 502, 503, 504])('that answers with status %i may be asked again at once', async (status) => {
    const model = await modelWith((response) => void response.writeHead(status).end('<html>Sorry</html>'), vendor);
    const { error } = await answerOf(model, asked('Hi'));
    expect(error?.constructor).toBe(Error);
    expect(error?.message).toContain(`(HTTP ${status})`);
    expect(server?.requests).toHaveLength(1);
  });
});

describe('a faulty server of chat completions', () => {
  it('that cuts its stream within a character is reported after the words before it', async () => {
    const cut = Buffer.from(textOf('Grüße'));
    const heard = new EventEmitter();
    const model = await knownModelWith(async (response) => {
      response.writeHead(200, EVENT_STREAM).write(textOf('Hello. '));
      await once(heard, 'text');
      await new Promise((resolve) => response.write(cut.subarray(0, cut.indexOf(0xc3) + 1), resolve));
      response.destroy();
    });
    const { error, text } = await answerOf(model, asked('Hi'), { onText: () => void heard.emit('text') });
    expect(error?.message).toContain('cut the connection');
    expect(text).toBe('Hello. ');
  });

  it('that sends every byte alone is understood', async () => {
    const bytes = Buffer.from(textOf('Grüße aus 東京 🍵') + chunkOf({}, 'stop') + END);
    const model = await modelWith(streamed(...Array.from(bytes, (byte) => Buffer.from([byte]))));
    const { text, error } = await answerOf(model, asked('Hi'));
    expect([text, error]).toEqual(['Grüße aus 東京 🍵', undefined]);
  });

  it('that sends text without end is stopped at 100,000 characters', async () => {
    const model = await knownModelWith(endless(textOf('tea '.repeat(50))));
    const { error, text } = await answerOf(model, asked('Hi'));
    expect(error?.message).toContain('longer than 100000 characters');
    expect(text.length).toBe(100_000);
    await server?.closed();
  });

  it.each([
    ['events without text', chunkOf({})],
    ['comments', ': a comment\n\n'],
    ['one line', 'data: '.repeat(5_000)],
    ['thoughts', chunkOf({ reasoning_content: 'hm '.repeat(500) })],
  ])('that sends %s without end is stopped at 4 MB', async (_, piece) => {
    // A clock that stands: a busy machine takes more than the 20 s after which an answer without text has stalled.
    const clock = new TestClock();
    const model = await modelWith(endless(piece.repeat(Math.ceil(60_000 / piece.length))), COMPATIBLE, {}, clock);
    const { error, text } = await answerOf(model, asked('Hi'));
    expect(error?.message).toContain('exceeded the receive limit');
    expect(text).toBe('');
    await server?.closed();
  });

  it('that calls tools without end is stopped after 64 calls', async () => {
    const calls = Array.from({ length: 100 }, (_, index) =>
      chunkOf({
        tool_calls: [{ index, id: `t${index}`, type: 'function', function: { name: 'order', arguments: '{}' } }],
      }),
    );
    const model = await modelWith(streamed(...calls, chunkOf({}, 'tool_calls'), END));
    const answer = await answerOf(model, asked('Hi', { tools: TOOLS }));
    expect(answer.calls).toHaveLength(64);
    expect(answer.error?.message).toContain('more than 64 tools');
  });

  it('that never answers is left at once by an abort, and nothing stays behind', async () => {
    const model = await modelWith(() => undefined);
    const stop = new AbortController();
    const asking = answerOf(model, asked('Hi'), { signal: stop.signal });
    await until(() => server!.requests.length === 1);
    stop.abort(new Error('The user goes on.'));
    const { error, text } = await asking;
    expect([error, text]).toEqual([undefined, '']);
    await server?.closed();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('that answers many times leaves no listener at the signal of the caller', async () => {
    const model = await modelWith(streamed(textOf('Hello.'), DONE));
    const { signal } = new AbortController();
    for (let turn = 0; turn < 20; turn++) expect((await answerOf(model, asked('Hi'), { signal })).text).toBe('Hello.');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(server?.sockets.size).toBe(1);
  });

  it('that sends endless arguments of a tool is stopped at 100,000 characters', async () => {
    const call = {
      index: 0,
      id: 't1',
      type: 'function',
      function: { name: 'order', arguments: `"${'x'.repeat(100_001)}"` },
    };
    const model = await modelWith(streamed(chunkOf({ tool_calls: [call] }), chunkOf({}, 'tool_calls'), END));
    const { error, calls } = await answerOf(model, asked('Hi', { tools: TOOLS }));
    expect([calls, error?.message]).toEqual([[], expect.stringContaining('longer than 100000 characters')]);
  });

  it('that stalls is given up after 20 s; the pauses of the reader do not count', async () => {
    const clock = new TestClock();
    const model = await knownModelWith((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(textOf('Hello. ') + textOf('How are'));
    }, clock);
    const parts: string[] = [];
    const read = async (): Promise<void> => {
      for await (const event of model.generate(asked('Hi'), new AbortController().signal)) {
        if (event.type === 'text') parts.push(event.text);
        clock.advance(60_000);
        // The next read waits for the server.
        if (parts.length === 2) setImmediate(() => clock.advance(20_000));
      }
    };
    await expect(read()).rejects.toThrow('stalled');
    expect(parts).toEqual(['Hello. ', 'How are']);
    expect(clock.pendingTimers).toBe(0);
    await server?.closed();
  });

  it('that closes an unused connection at the next request is asked once more', async () => {
    let served = 0;
    const model = await modelWith(async (response, request) => {
      if (++served === 2) request.socket.destroy();
      else await streamed(textOf('Hello.'), DONE)(response);
    });
    expect((await answerOf(model, asked('Hi'))).text).toBe('Hello.');
    const { text, error } = await answerOf(model, asked('Hi'));
    expect([text, error]).toEqual(['Hello.', undefined]);
    expect(served).toBe(3);
  });

  it.each([
    ['{"cups": 2', '{"cups": 2'],
    ['two cups', 'two cups'],
    ['', '{}'],
    ['5', '5'],
    ['"two"', '"two"'],
  ])('that sends the tool arguments %j: they are passed on', async (sent, expected) => {
    const call = { index: 0, id: 't1', type: 'function', function: { name: 'order', arguments: sent } };
    const model = await modelWith(streamed(chunkOf({ tool_calls: [call] }), chunkOf({}, 'tool_calls'), END));
    const { calls, error } = await answerOf(model, asked('Hi', { tools: TOOLS }));
    expect(error).toBeUndefined();
    expect(calls).toEqual([{ type: 'tool_call', id: 't1', name: 'order', arguments: expected }]);
  });

  it('that calls an unknown tool: the call is passed on; without tools, calls are dropped', async () => {
    const call = { index: 0, id: 't1', type: 'function', function: { name: 'fly', arguments: '{"to":"Oslo"}' } };
    const answer = streamed(chunkOf({ tool_calls: [call] }), chunkOf({}, 'tool_calls'), END);
    const model = await modelWith(answer);
    const passed = await answerOf(model, asked('Hi', { tools: TOOLS }));
    expect(passed.calls).toMatchObject([{ name: 'fly', arguments: '{"to":"Oslo"}' }]);
    const dropped = await answerOf(model, asked('Hi'));
    expect([dropped.calls, dropped.error]).toEqual([[], undefined]);
  });

  it('that reports an error in its stream is reported after the words before it', async () => {
    const error = `data: ${JSON.stringify({ error: { message: 'Out of memory for secret-key', type: 'server_error' } })}\n\n`;
    const model = await knownModelWith(streamed(textOf('Hello. '), error, textOf('More.'), DONE));
    const answer = await answerOf(model, asked('Hi'));
    expect(answer.text).toBe('Hello. ');
    expect(answer.error?.message).toMatch(/failed: Out of memory for …$/);
  });

  it.each([
    ['content_filter', 'before the first word (content_filter)'],
    ['length', 'the limit of tokens was reached'],
  ])('that ends with %s before the first word is reported', async (reason, message) => {
    const model = await modelWith(streamed(chunkOf({}, reason), END));
    expect((await answerOf(model, asked('Hi'))).error?.message).toContain(message);
  });

  it('thoughts are not spoken, and their tokens are billed as output', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    const last = chunkOf({}, 'stop', { usage });
    const model = await modelWith(
      streamed(
        chunkOf({ reasoning_content: 'Hm.' }),
        textOf('<thi'),
        textOf('nk>Well.</think>Hel'),
        textOf('lo.'),
        last,
        END,
      ),
    );
    const { text, usage: billed } = await answerOf(model, asked('Hi'));
    expect(text.trim()).toBe('Hello.');
    expect(billed.map(({ kind, quantity }) => [kind, quantity])).toEqual([
      ['input_text_tokens', 0.036],
      ['cached_text_tokens', 0.064],
      ['output_text_tokens', 0.05],
    ]);
  });

  it('thoughts are not spoken when only their end is marked, in the first answer and in later ones', async () => {
    const model = await modelWith(
      streamed(textOf('Hm, two cups.'), textOf(' Yes.</thi'), textOf('nk>\n\nHello.'), DONE),
    );
    for (let turn = 0; turn < 2; turn++) expect((await answerOf(model, asked('Hi'))).text.trim()).toBe('Hello.');
  });

  it('the words of an answer are spoken although the limit of tokens or a filter cut it off', async () => {
    for (const reason of ['length', 'content_filter']) {
      const model = await modelWith(streamed(textOf('We open at nine. We clo'), chunkOf({}, reason), END));
      const { text, error } = await answerOf(model, asked('Hi'));
      expect([text, error]).toEqual(['We open at nine. We clo', undefined]);
      await server?.stop();
    }
  });

  it('a cut-off answer of a model that begins with unmarked thoughts is reported', async () => {
    const answers = [
      [textOf('Hm.</think>Hello.'), DONE],
      [textOf('Hm, two cups'), chunkOf({}, 'length'), END],
    ];
    const model = await modelWith((response) => streamed(...answers.shift()!)(response));
    expect((await answerOf(model, asked('Hi'))).text).toBe('Hello.');
    const { text, error } = await answerOf(model, asked('Hi'));
    expect([text, error?.message]).toEqual(['', expect.stringContaining('before the first word')]);
  });

  it('an answer that the limit of tokens cut off within its thoughts is reported', async () => {
    const model = await modelWith(streamed(textOf('<think>Hm, two cups'), chunkOf({}, 'length'), END));
    const { text, error } = await answerOf(model, asked('Hi'));
    expect([text, error?.message]).toEqual(['', expect.stringContaining('before the first word')]);
  });

  it.each([1e15, -5, 'many'])('an implausible usage of %s tokens is not billed', async (count) => {
    const usage = { prompt_tokens: 7, completion_tokens: count, total_tokens: 7 };
    const model = await modelWith(streamed(textOf('Hello.'), chunkOf({}, 'stop', { usage }), END));
    const { usage: billed } = await answerOf(model, asked('Hi'));
    expect(billed.filter(({ kind }) => kind === 'output_text_tokens')).toEqual([]);
  });
});

const eventOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** An answer of each vendor in its chunks: the words "Hello there." and their end, with 70 tokens of input and 5 of output. */
const ANSWERS: Record<VendorName, string[]> = {
  openai: [
    textOf('Hello '),
    textOf('there.'),
    chunkOf({}, 'stop', { usage: { prompt_tokens: 70, completion_tokens: 5 } }),
  ],
  'openai-compatible': [
    textOf('Hello '),
    textOf('there.'),
    chunkOf({}, 'stop', { usage: { prompt_tokens: 70, completion_tokens: 5 } }),
  ],
  anthropic: [
    eventOf({
      type: 'message_start',
      message: { id: 'm', role: 'assistant', content: [], model: 'm', usage: { input_tokens: 70, output_tokens: 1 } },
    }),
    eventOf({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello ' } }),
    eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'there.' } }),
    eventOf({ type: 'content_block_stop', index: 0 }),
    eventOf({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    eventOf({ type: 'message_stop' }),
  ],
  google: [
    eventOf({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hello ' }] } }] }),
    eventOf({ candidates: [{ content: { role: 'model', parts: [{ text: 'there.' }] } }] }),
    eventOf({
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 70, candidatesTokenCount: 5, totalTokenCount: 75 },
    }),
  ],
};

/** The same, with the last chunks in a form that the vendor's package cannot read. */
const UNREADABLE_ENDS: [VendorName, string, string[]][] = [
  [
    'openai',
    'usage without choices',
    [chunkOf({}, 'stop'), eventOf({ usage: { prompt_tokens: 70, completion_tokens: 5 } })],
  ],
  [
    'openai-compatible',
    'usage without choices',
    [chunkOf({}, 'stop'), eventOf({ usage: { prompt_tokens: 70, completion_tokens: 5 } }), END],
  ],
  [
    'openai-compatible',
    'an end with a delta of another form',
    [
      eventOf({
        choices: [{ index: 0, delta: 'end', finish_reason: 'stop' }],
        usage: { prompt_tokens: 70, completion_tokens: 5 },
      }),
    ],
  ],
  [
    'openai-compatible',
    'an error after the end',
    [
      chunkOf({}, 'stop', { usage: { prompt_tokens: 70, completion_tokens: 5 } }),
      eventOf({ error: { message: 'Too late.' } }),
    ],
  ],
  [
    'anthropic',
    'an end of another form',
    [
      eventOf({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: 7 },
        usage: { output_tokens: 5 },
      }),
    ],
  ],
  [
    'google',
    'an end of another form',
    [
      eventOf({
        candidates: [{ finishReason: 'STOP', safetyRatings: 'none' }],
        usageMetadata: { promptTokenCount: 70, candidatesTokenCount: 5 },
      }),
    ],
  ],
];

describe('the arguments of a tool keep the digits of an ID', () => {
  const json = '{"order_id":8389765929445198309}';
  const CALLS: Record<VendorName, string[]> = {
    openai: [],
    'openai-compatible': [
      chunkOf({ tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'order', arguments: json } }] }),
      chunkOf({}, 'tool_calls'),
    ],
    anthropic: [
      ...ANSWERS.anthropic.slice(0, 1),
      eventOf({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't1', name: 'order', input: {} },
      }),
      eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } }),
      eventOf({ type: 'content_block_stop', index: 0 }),
      eventOf({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }),
      eventOf({ type: 'message_stop' }),
    ],
    google: [
      eventOf({
        candidates: [
          {
            content: { role: 'model', parts: [{ functionCall: { name: 'order', args: { order_id: 1 } } }] },
            finishReason: 'STOP',
          },
        ],
      }).replace('"order_id":1', '"order_id":8389765929445198309'),
    ],
  };
  CALLS.openai = CALLS[COMPATIBLE];

  it.each(VENDORS)('%s', async (vendor) => {
    const model = await modelWith(streamed(...CALLS[vendor]), vendor);
    const { calls, error } = await answerOf(model, asked('Hi', { tools: TOOLS }));
    expect(error).toBeUndefined();
    expect(calls.map(({ arguments: args }) => args.replaceAll('"', ''))).toEqual(['{order_id:8389765929445198309}']);
  });

  it.each(VENDORS)('%s gets them back with all digits', async (vendor) => {
    const model = await modelWith(streamed(...ANSWERS[vendor]), vendor);
    const messages: GenerationRequest['messages'] = [
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: '', toolCalls: [{ id: 't1', name: 'order', arguments: json }] },
      { role: 'tool_results', results: [{ id: 't1', name: 'order', result: '{"id":7000000000000000001}' }] },
    ];
    await answerOf(model, asked('Hi', { tools: TOOLS, messages }));
    expect(server?.requests[0]?.body).toContain('8389765929445198309');
    expect(server?.requests[0]?.body).toContain('7000000000000000001');
  });
});

describe('a chunk that cannot be read does not discard the answer around it', () => {
  const JUNK = ['data: {"choices":5,"candidates":"x","type":7}\n\n', 'data: {half a doc\n\n', 'data: 5\n\n'];
  // Of Anthropic's stream, the first event is the message: its package rejects another one.
  const positions = VENDORS.flatMap((vendor) =>
    [vendor === 'anthropic' ? 1 : 0, ANSWERS[vendor].length - 1, ANSWERS[vendor].length].map(
      (at): [VendorName, number] => [vendor, at],
    ),
  );

  it.each(positions)('%s, before chunk %i', async (vendor, at) => {
    const chunks = ANSWERS[vendor];
    const model = await modelWith(streamed(...chunks.slice(0, at), ...JUNK, ...chunks.slice(at)), vendor);
    const { text, error, usage } = await answerOf(model, asked('Hi'));
    expect([text, error]).toEqual(['Hello there.', undefined]);
    expect(usage.map(({ quantity }) => quantity)).toEqual([0.07, 0.005]);
  });

  it.each(UNREADABLE_ENDS)('%s: %s counts, and its usage is billed', async (vendor, _, end) => {
    const words = ANSWERS[vendor].slice(0, vendor === 'anthropic' ? -2 : -1);
    const model = await modelWith(streamed(...words, ...end), vendor);
    const { text, error, usage } = await answerOf(model, asked('Hi'));
    expect([text, error]).toEqual(['Hello there.', undefined]);
    expect(usage.map(({ quantity }) => quantity)).toEqual([0.07, 0.005]);
  });

  it('a connection that is cut after the end of the answer is not missed', async () => {
    const model = await modelWith(async (response) => {
      response.writeHead(200, EVENT_STREAM);
      for (const piece of ANSWERS[COMPATIBLE]) await new Promise((resolve) => response.write(piece, resolve));
      response.destroy();
    });
    const { text, error, usage } = await answerOf(model, asked('Hi'));
    expect([text, error]).toEqual(['Hello there.', undefined]);
    expect(usage.map(({ quantity }) => quantity)).toEqual([0.07, 0.005]);
  });

  it.each([
    ['an error of another form', eventOf({ object: 'error', message: 'Out of memory' })],
    ['nothing more', ''],
  ])('an answer whose end is missing has failed: %s', async (_, more) => {
    const model = await modelWith(streamed(textOf('Hello.'), ...JUNK, more));
    expect((await answerOf(model, asked('Hi'))).error).toBeInstanceOf(Error);
  });
});

/** Runs last. */
it('no hostile server leaves a rejected promise without a handler', () => expect(unhandled).toEqual([]));

/** Writes the piece as long as the client reads. */
function endless(piece: string): (response: ServerResponse) => Promise<void> {
  return async (response) => {
    response.writeHead(200, EVENT_STREAM);
    const closed = once(response, 'close');
    while (!response.destroyed) if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  };
}
