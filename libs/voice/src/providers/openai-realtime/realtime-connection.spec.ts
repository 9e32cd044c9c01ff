import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { busy, created, delta, done, RealtimeBench, text, typesOf } from '../../../test/realtime-call.js';

let bench: RealtimeBench;

beforeEach(async () => {
  bench = await RealtimeBench.start();
});
afterEach(() => bench.server.stop());

describe('a realtime connection', () => {
  it('audio passes unchanged in both directions', async () => {
    const { connection, got } = await bench.connected();
    const frame = Buffer.from(Array.from({ length: 160 }, (_, at) => at));
    connection.sendAudio(frame);
    expect(await bench.server.last.gotAt(2)).toEqual({
      type: 'input_audio_buffer.append',
      audio: frame.toString('base64'),
    });
    bench.server.last.send(created('r1'), text('r1', 'Hello.'), delta('r1', 400), done('r1'));
    expect(await got(4)).toEqual([
      { type: 'response_started', responseId: 'r1' },
      { type: 'agent_text', responseId: 'r1', itemId: 'i1', text: 'Hello.' },
      { type: 'audio', responseId: 'r1', itemId: 'i1', audio: Buffer.alloc(400, 1) },
      { type: 'response_done', responseId: 'r1', status: 'completed' },
    ]);
  });

  it('frames that may wait share a message of 100 or 200 ms; a frame that may not takes them along', async () => {
    const { connection } = await bench.connected();
    const frames = [1, 2, 3, 4, 5, 6, 7].map((byte) => Buffer.alloc(160, byte));
    for (const frame of frames.slice(0, 6)) connection.sendAudio(frame, 80);
    connection.sendAudio(frames[6]!);
    for (const frame of [...frames, ...frames]) connection.sendAudio(frame, 180);
    // A voice begins.
    connection.sendAudio(frames[0]!, 80);
    const sent = (await bench.server.last.got(5)).slice(1) as unknown as { audio: string }[];
    expect(sent.map(({ audio }) => Buffer.from(audio, 'base64'))).toEqual([
      Buffer.concat(frames.slice(0, 5)),
      Buffer.concat(frames.slice(5)),
      Buffer.concat([...frames, ...frames.slice(0, 3)]),
      Buffer.concat([...frames.slice(3), frames[0]!]),
    ]);
  });

  it('exact words, keys and tool results are sent as response requests and items', async () => {
    const { connection } = await bench.connected();
    connection.createResponse({ say: 'Hello, tea house.' });
    connection.sendDigits('12#');
    connection.sendToolResult('call-1', '{"ok":true}');
    connection.sendText('The call ends soon.', 'system');
    expect((await bench.server.last.got(5)).slice(1)).toMatchObject([
      {
        type: 'response.create',
        response: { instructions: expect.stringContaining('"Hello, tea house."'), tool_choice: 'none' },
      },
      { item: { role: 'user', content: [{ text: '[The caller pressed the keys 12#]' }] } },
      { item: { type: 'function_call_output', call_id: 'call-1', output: '{"ok":true}' } },
      { item: { role: 'system', content: [{ text: 'The call ends soon.' }] } },
    ]);
  });

  it('speech bounds and transcriptions become events', async () => {
    const { got } = await bench.connected({ transcriptionModel: 't' });
    bench.server.last.send(
      { type: 'input_audio_buffer.speech_started', item_id: 'c1', audio_start_ms: 500 },
      { type: 'input_audio_buffer.speech_stopped', item_id: 'c1', audio_end_ms: 1500 },
      {
        type: 'conversation.item.input_audio_transcription.completed',
        item_id: 'c1',
        transcript: ' Two teas. ',
        usage: { type: 'duration', seconds: 1.5 },
      },
      { type: 'conversation.item.input_audio_transcription.failed', item_id: 'c2', error: { message: 'No idea.' } },
    );
    expect(await got(6)).toEqual([
      { type: 'speech_started', itemId: 'c1', audioMs: 500 },
      { type: 'speech_stopped', itemId: 'c1', audioMs: 1500 },
      {
        type: 'usage',
        items: [{ kind: 'transcription_seconds', quantity: 1.5, unit: 'second', source: 'openai-realtime:t' }],
      },
      { type: 'user_text', itemId: 'c1', text: 'Two teas.' },
      { type: 'error', code: 'transcription_failed', message: 'No idea.' },
      { type: 'user_text', itemId: 'c2', text: '' },
    ]);
  });

  it('finished function calls become tool calls, incomplete ones do not', async () => {
    const { events, settled } = await bench.connected();
    const item = { type: 'function_call', call_id: 't1', name: 'order', arguments: '{"n":2}' };
    const itemDone = (more: object) => ({
      type: 'response.output_item.done',
      response_id: 'r1',
      item: { ...item, ...more },
    });
    bench.server.last.send(
      created('r1'),
      itemDone({ status: 'completed' }),
      itemDone({ status: 'incomplete' }),
      done('r1'),
    );
    await settled();
    expect(events.filter(({ type }) => type === 'tool_call')).toEqual([
      { type: 'tool_call', responseId: 'r1', toolCallId: 't1', name: 'order', arguments: '{"n":2}' },
    ]);
  });
});

describe('a response that ends early', () => {
  const serverError = { type: 'failed', error: { type: 'server_error', code: 'server_error', message: 'Sorry.' } };
  const call = {
    type: 'response.output_item.done',
    response_id: 'r1',
    item: { type: 'function_call', call_id: 't1', name: 'order', arguments: '{}' },
  };

  it.each<[string, string, object | undefined, object[], string, string[]]>([
    ['failed', 'failed', serverError, [], 'failed', ['Sorry.']],
    ['failed after some words', 'failed', serverError, [delta('r1', 400)], 'failed', ['Sorry.']],
    ['was cancelled by the server', 'cancelled', { reason: 'client_cancelled' }, [], 'failed', ['client_cancelled']],
    ['was cancelled for the user', 'cancelled', { reason: 'turn_detected' }, [], 'cancelled', []],
    [
      'was cancelled by the server while the user speaks',
      'cancelled',
      undefined,
      [{ type: 'input_audio_buffer.speech_started', item_id: 'c1', audio_start_ms: 500 }],
      'cancelled',
      [],
    ],
    [
      'was filtered before its first word',
      'incomplete',
      { reason: 'content_filter' },
      [],
      'failed',
      ['content_filter'],
    ],
    [
      'reached the limit before its first word',
      'incomplete',
      { reason: 'max_output_tokens' },
      [],
      'failed',
      ['max_output_tokens'],
    ],
    [
      'was shortened',
      'incomplete',
      { reason: 'max_output_tokens' },
      [delta('r1', 400)],
      'completed',
      ['max_output_tokens'],
    ],
    ['called a tool before', 'incomplete', { reason: 'max_output_tokens' }, [call], 'completed', ['max_output_tokens']],
    ['is empty', 'completed', undefined, [], 'completed', []],
  ])('that %s: the session hears of it', async (_, status, details, before, outcome, messages) => {
    const { events, settled } = await bench.connected();
    bench.server.last.send(
      created('r1'),
      ...(before as { type: string }[]),
      done('r1', { status, status_details: details }),
    );
    await settled();
    expect(events.at(-1)).toEqual({ type: 'response_done', responseId: 'r1', status: outcome });
    const errors = events.flatMap((event) => (event.type === 'error' ? [event.message] : []));
    expect(errors).toEqual(messages.map((part): unknown => expect.stringContaining(part)));
  });

  const serverFault = { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Sorry.' } };

  it.each([
    ['before it begins', []],
    ['while it is generated', [created('r1'), delta('r1', 400)]],
  ])('an error of the server %s, after which nothing follows, makes it fail after 2 s', async (_, before) => {
    const { connection, events, settled } = await bench.connected();
    const idle = bench.clock.pendingTimers;
    connection.createResponse({});
    await bench.server.last.got(2);
    bench.server.last.send(...before, serverFault);
    await settled();
    expect(typesOf(events)).not.toContain('response_done');
    bench.clock.advance(2_000);
    expect(events.at(-1)).toMatchObject({ type: 'response_done', status: 'failed' });
    expect(bench.clock.pendingTimers).toBe(idle);
  });

  it('an error of the server does not end a response that goes on', async () => {
    const { events, settled } = await bench.connected();
    bench.server.last.send(created('r1'), delta('r1', 400), serverFault, delta('r1', 400));
    await settled();
    bench.clock.advance(3_000);
    expect(typesOf(events)).not.toContain('response_done');
    bench.server.last.send(done('r1'));
    await settled();
    expect(events.at(-1)).toEqual({ type: 'response_done', responseId: 'r1', status: 'completed' });
  });
});

describe('an interruption', () => {
  it('an interruption cancels, truncates at the played position, and drops late audio', async () => {
    const { connection, events, settled } = await bench.connected();
    bench.server.last.send(created('r1'), delta('r1', 8000));
    await settled();
    connection.cancelResponse();
    connection.cancelResponse();
    connection.truncate('i1', 420);
    expect((await bench.server.last.got(3)).slice(1)).toEqual([
      { type: 'response.cancel', response_id: 'r1' },
      { type: 'conversation.item.truncate', item_id: 'i1', content_index: 0, audio_end_ms: 420 },
    ]);
    bench.server.last.send(
      delta('r1', 8000),
      text('r1', 'late'),
      done('r1', { status: 'cancelled' }),
      delta('r1', 160),
    );
    await settled();
    expect(typesOf(events)).toEqual(['response_started', 'audio', 'response_done']);
    expect(events.at(-1)).toEqual({ type: 'response_done', responseId: 'r1', status: 'cancelled' });
  });

  it('a truncation never exceeds the audio of the item', async () => {
    const { connection, settled } = await bench.connected();
    bench.server.last.send(created('r1'), delta('r1', 800));
    await settled();
    connection.truncate('of another connection', 100);
    connection.truncate('i1', 5000);
    expect(await bench.server.last.gotAt(2)).toMatchObject({ item_id: 'i1', audio_end_ms: 100 });
  });

  it('a cancellation after the end of the response is not an error', async () => {
    const { events, settled } = await bench.connected();
    bench.server.last.send({ type: 'error', error: { type: 'x', code: 'response_cancel_not_active', message: '' } });
    await settled();
    expect(events).toEqual([]);
  });

  it('an interruption by the server becomes an event', async () => {
    const { got } = await bench.connected();
    bench.server.last.send(
      created('r1'),
      done('r1', { status: 'cancelled', status_details: { reason: 'turn_detected' } }),
    );
    expect(typesOf(await got(3))).toEqual(['response_started', 'interrupted', 'response_done']);
  });
});

describe('one response at a time', () => {
  it('no response is requested while another is generated', async () => {
    const { connection, events, settled } = await bench.connected();
    bench.server.last.send(created('r1'));
    await settled();
    connection.createResponse({});
    expect(events.at(-1)).toEqual({ type: 'response_refused' });
    expect(bench.server.last.received).toHaveLength(1);
  });

  it("a request that collides with the server's own response is reported as refused", async () => {
    const { connection, events, settled } = await bench.connected();
    connection.createResponse({ say: 'One moment.' });
    const asked = await bench.server.last.gotAt(2);
    bench.server.last.send(created('theirs'), busy(asked?.event_id ?? ''));
    await settled();
    expect(typesOf(events)).toEqual(['response_started', 'response_refused']);
  });

  it('a request is repeated while the server still ends the previous response', async () => {
    const { connection, events, settled } = await bench.connected();
    connection.createResponse({ say: 'One moment.' });
    await bench.server.last.got(2);
    bench.server.last.send(busy(null));
    await settled();
    bench.clock.advance(200);
    expect(await bench.server.last.gotAt(3)).toMatchObject({
      type: 'response.create',
      response: { tool_choice: 'none' },
    });
    expect(events).toEqual([]);
  });

  it('speech that the server could not answer is answered after the active response', async () => {
    const { settled } = await bench.connected();
    bench.server.last.send(created('r1'), busy(null), done('r1'));
    await settled();
    expect(await bench.server.last.gotAt(2)).toMatchObject({ type: 'response.create' });
  });

  it('speech over an answer is answered afterwards, speech over a greeting is not', async () => {
    const { connection, settled } = await bench.connected();
    const speech = { type: 'input_audio_buffer.speech_stopped', item_id: 'c', audio_end_ms: 100 };
    connection.createResponse({ say: 'Hello.' });
    await bench.server.last.got(2);
    bench.server.last.send(created('r1'), speech, done('r1'));
    await settled();
    expect(bench.server.last.received).toHaveLength(2);
    bench.server.last.send(created('r2'), speech, done('r2'));
    await settled();
    expect(await bench.server.last.got(3)).toHaveLength(3);
  });

  it('a response that the server never begins is reported as failed', async () => {
    const { connection, events, settled } = await bench.connected();
    connection.createResponse({});
    const asked = await bench.server.last.gotAt(2);
    const error = { type: 'invalid_request_error', code: 'bad', message: 'Bad.', event_id: asked?.event_id };
    bench.server.last.send({ type: 'error', error });
    await settled();
    expect(events).toMatchObject([
      { type: 'error', code: 'bad' },
      { type: 'response_started' },
      { type: 'response_done', status: 'failed' },
    ]);
    connection.createResponse({});
    expect(await bench.server.last.got(3)).toHaveLength(3);
  });
});
