import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keysPressed, sayExactly } from '@app/voice';
import { MULAW_SESSION, put, RealtimeClient, registered } from '../../test/realtime-client.js';
import { userSpeech, speech } from '../../test/user-speech.js';
import { SandboxServer } from './sandbox-server.js';
import { scriptId } from './script.js';

let server: SandboxServer;
const clients: RealtimeClient[] = [];

beforeEach(async () => {
  server = await SandboxServer.start({ speech });
});

afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  await server.close();
});

async function client(query?: string): Promise<RealtimeClient> {
  const opened = await RealtimeClient.open(server, query);
  clients.push(opened);
  opened.send({ type: 'session.update', session: MULAW_SESSION });
  await opened.event('session.updated');
  return opened;
}

describe('a response of the sandbox server', () => {
  it('sends its events in the order of the protocol', async () => {
    const caller = await client();
    await caller.respond({ instructions: sayExactly('Hello there.') });
    const [, , ...types] = caller.types();
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_audio_transcript.delta',
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ]);
    const ids = caller.seen.map(({ event_id: id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const { response } = await caller.event('response.done');
    expect(response).toMatchObject({
      status: 'completed',
      usage: { output_token_details: { text_tokens: 3, audio_tokens: expect.any(Number) } },
    });
  });

  it('calls a tool and answers with its result', async () => {
    const caller = await client();
    const update = { ...MULAW_SESSION, tools: [{ type: 'function', name: 'search_knowledge_base' }] };
    caller.send({ type: 'session.update', session: update });
    caller.write(keysPressed('4711'));
    const { said, calls } = await caller.respond();
    expect(said).toBe('');
    expect(calls).toMatchObject([{ name: 'search_knowledge_base', arguments: { query: '4711' } }]);
    const output = JSON.stringify({ results: [{ title: 'Prices', text: 'Article 4711 costs three euros.' }] });
    const item = { type: 'function_call_output', call_id: calls[0]?.call_id, output };
    caller.send({ type: 'conversation.item.create', item });
    expect((await caller.respond()).said).toBe('I found this in Prices. Article 4711 costs three euros.');
  });

  it('keeps the heard part without its words when it is cancelled', async () => {
    const caller = await client();
    caller.send({
      type: 'response.create',
      response: { instructions: sayExactly('One two three four five. '.repeat(10)) },
    });
    const { item_id } = await caller.event('response.output_audio.delta', 2);
    caller.send({ type: 'response.cancel' });
    caller.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 320 });
    expect((await caller.event('response.done')).response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'incomplete' }],
    });
    await caller.event('conversation.item.truncated');
    caller.send({ type: 'conversation.item.retrieve', item_id });
    const { item } = await caller.event('conversation.item.retrieved');
    expect(item).toMatchObject({ content: [{ type: 'output_audio' }] });
    expect(JSON.stringify(item)).not.toContain('One two');
    caller.speak(await userSpeech(1_000));
    await caller.eventWith('response.output_audio_transcript.delta', 'Sorry, I did not mean to talk over you.');
  });

  it('leaves no items when it is outside the conversation', async () => {
    const caller = await client();
    const own = { conversation: 'none', output_modalities: ['text'], metadata: { topic: 'a' } };
    const { said } = await caller.respond({ ...own, instructions: sayExactly('A note.') });
    expect(said).toBe('A note.');
    expect(caller.types()).not.toContain('conversation.item.added');
    expect((await caller.event('response.done')).response).toMatchObject({ metadata: { topic: 'a' } });
  });

  it('bills most of the earlier conversation as cached tokens', async () => {
    const caller = await client();
    caller.send({ type: 'session.update', session: { ...MULAW_SESSION, output_modalities: ['text'] } });
    for (let turn = 0; turn < 3; turn++) {
      caller.write('word '.repeat(100));
      await caller.respond();
    }
    const { response } = await caller.event('response.done', 3);
    const { usage } = response as { usage: Record<string, Record<string, number>> };
    expect(usage.input_token_details?.text_tokens).toBeGreaterThan(375);
    expect(usage.input_token_details?.cached_tokens).toBe(256);
  });
});

describe('turns of the user at the sandbox server', () => {
  it('begin and end with the voice and are answered', async () => {
    const caller = await client();
    caller.speak(await userSpeech(1_500));
    const started = await caller.event('input_audio_buffer.speech_started');
    const stopped = await caller.event('input_audio_buffer.speech_stopped');
    expect(stopped.item_id).toBe(started.item_id);
    // 700 ms of silence end the turn, and 300 ms before it belong to it.
    const spokenMs = (stopped.audio_end_ms as number) - (started.audio_start_ms as number) - 700 - 200;
    expect(spokenMs).toBeGreaterThan(1_300);
    expect(spokenMs).toBeLessThan(1_700);
    expect(await caller.event('input_audio_buffer.committed')).toMatchObject({ item_id: started.item_id });
    expect(await caller.event('conversation.item.added')).toMatchObject({
      item: { id: started.item_id, role: 'user' },
    });
    await caller.event('response.output_audio_transcript.delta');
    expect(JSON.stringify(caller.seen)).toContain('I heard you speak for');
  });

  it('interrupt the agent', async () => {
    const caller = await client();
    caller.send({
      type: 'response.create',
      response: { instructions: sayExactly('One two three four five. '.repeat(10)) },
    });
    await caller.event('response.output_audio.delta', 2);
    caller.speak(await userSpeech(1_000));
    expect((await caller.event('response.done')).response).toMatchObject({
      status: 'cancelled',
      status_details: { reason: 'turn_detected' },
    });
    await caller.event('response.created', 2);
  });

  it('are ended by the client when it turns detection off, and their transcription fails', async () => {
    const caller = await client();
    const input = { format: { type: 'audio/pcmu' }, turn_detection: null, transcription: { model: 'any' } };
    caller.send({ type: 'session.update', session: { type: 'realtime', audio: { input } } });
    caller.speak(await userSpeech(1_000));
    caller.send({ type: 'input_audio_buffer.commit' });
    await caller.event('input_audio_buffer.committed');
    await caller.event('conversation.item.input_audio_transcription.failed');
    caller.send({ type: 'input_audio_buffer.clear' });
    await caller.event('input_audio_buffer.cleared');
    expect(caller.types()).not.toContain('input_audio_buffer.speech_started');
    expect((await caller.respond()).said).toMatch(/^Thank you, I heard you speak for 2 seconds/);
  });

  it('continue after a reconnection', async () => {
    const caller = await client();
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] };
    caller.send({ type: 'conversation.item.create', item });
    expect((await caller.respond()).said).toBe('Sorry, I was away for a moment. Please go on.');
  });
});

describe('the sandbox server refuses', () => {
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };

  it.each([
    [{ type: 'nonsense' }, 'invalid_value', 'type'],
    [{}, 'missing_required_parameter', 'type'],
    [{ type: 'session.update', session: {} }, 'missing_required_parameter', 'session.type'],
    [{ type: 'session.update', session: { type: 'realtime', voice: 'x' } }, 'unknown_parameter', 'session.voice'],
    [
      { type: 'session.update', session: { type: 'realtime', output_modalities: ['text', 'audio'] } },
      'invalid_value',
      'session.output_modalities',
    ],
    [{ type: 'conversation.item.retrieve', item_id: 'item_x' }, 'item_retrieve_invalid_item_id', 'item_id'],
    [{ type: 'conversation.item.delete', item_id: 'item_x' }, 'item_delete_invalid_item_id', 'item_id'],
    [
      { type: 'conversation.item.truncate', item_id: 'item_x', content_index: 0, audio_end_ms: 1 },
      'item_truncate_invalid_item_id',
      'item_id',
    ],
    [
      { type: 'conversation.item.create', item: message, previous_item_id: 'item_x' },
      'item_create_invalid_previous_item_id',
      'previous_item_id',
    ],
    [
      { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'c', output: '{}' } },
      'invalid_tool_call_id',
      'item.call_id',
    ],
    [{ type: 'response.cancel' }, 'response_cancel_not_active', null],
    [{ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty', null],
  ])('%j with the code %s', async (event, code, param) => {
    const caller = await client();
    caller.send({ ...event, event_id: 'mine' });
    const { error } = await caller.event('error');
    expect(error).toMatchObject({ type: 'invalid_request_error', code, param, event_id: 'mine' });
    expect((await caller.respond()).said).toBe('Hello, this is Trunkline.');
  });

  it('a message that is not valid JSON', async () => {
    const caller = await client();
    caller.sendRaw('{');
    expect(await caller.event('error')).toMatchObject({ error: { code: 'invalid_json', event_id: null } });
  });

  it('a second response while one is active, which continues', async () => {
    const caller = await client();
    caller.send({ type: 'response.create', response: { instructions: sayExactly('One two three. '.repeat(8)) } });
    caller.send({ type: 'response.create', event_id: 'second' });
    expect(await caller.event('error')).toMatchObject({
      error: { code: 'conversation_already_has_active_response', event_id: 'second' },
    });
    expect(await caller.event('response.done')).toMatchObject({ response: { status: 'completed' } });
  });

  it('a truncation behind the end of the audio', async () => {
    const caller = await client();
    await caller.respond();
    const { item_id } = await caller.event('response.output_audio.done');
    const truncate = { type: 'conversation.item.truncate', item_id, content_index: 0 };
    caller.send({ ...truncate, audio_end_ms: 3_600_000 });
    expect(await caller.event('error')).toMatchObject({ error: { code: 'invalid_value', param: 'audio_end_ms' } });
    caller.send({ ...truncate, audio_end_ms: 100 });
    await caller.event('conversation.item.truncated');
  });

  it.each([
    ['another key', 'model=sandbox', 'x', 401],
    ['no key', 'model=sandbox', '', 401],
    ['a script that was not registered', `model=script-${'0'.repeat(64)}`, undefined, 404],
    ['invalid faults', 'faults=[{"do":"nothing"}]', undefined, 400],
  ])('a connection with %s', async (_, query, key, status) => {
    await expect(RealtimeClient.open(server, query, key)).rejects.toThrow(`refused with ${status}`);
  });

  it('an invalid script, with the place of each problem', async () => {
    const body = JSON.stringify({ rules: [{ on: { text: '(' }, say: 'x' }, { on: 'opening' }], more: 1 });
    const answer = await put(server, scriptId(body), body);
    expect(answer.status).toBe(422);
    const { error } = (await answer.json()) as { error: { problems: string[] } };
    expect(error.problems).toEqual([
      expect.stringMatching(/^rules\.0\.on\.text: is no pattern/),
      expect.stringMatching(/^rules\.1: does nothing/),
      expect.stringMatching(/more/),
    ]);
    expect((await put(server, 'a'.repeat(64), body)).status).toBe(422);
    expect((await put(server, scriptId(body), body, 'x')).status).toBe(401);
    expect((await put(server, scriptId('x'.repeat(600_000)), 'x'.repeat(600_000))).status).toBe(413);
  });
});

describe('scripted faults of the sandbox server', () => {
  const long = { instructions: sayExactly('One two three four five. '.repeat(10)) };

  it('drop the connection in mid-sentence on as many connections as the script says', async () => {
    const faults = [{ do: 'disconnect', after_audio_ms: 1_000, connections: 2 }];
    const model = await registered(server, { faults });
    for (let cut = 0; cut < 2; cut++) {
      const caller = await client(`model=${model}`);
      caller.send({ type: 'response.create', response: long });
      await caller.closed();
      expect(caller.types().filter((type) => type === 'response.output_audio.delta')).toHaveLength(2);
      expect(caller.types()).not.toContain('response.done');
    }
    const caller = await client(`model=${model}`);
    expect((await caller.respond(long)).said).toContain('One two three');
  });

  it('send deltas after the end of a cancelled response', async () => {
    const caller = await client(`faults=${JSON.stringify([{ do: 'late_deltas' }])}`);
    caller.send({ type: 'response.create', response: long });
    await caller.event('response.output_audio.delta', 2);
    caller.send({ type: 'response.cancel' });
    await caller.event('response.done');
    caller.send({ type: 'input_audio_buffer.clear' });
    await caller.event('input_audio_buffer.cleared');
    const types = caller.types();
    const late = types.slice(types.indexOf('response.done')).filter((type) => type === 'response.output_audio.delta');
    expect(late).toHaveLength(3);
  });

  it.each([
    [{ do: 'error', in_response: 1 }, 'completed', ['server_error']],
    [{ do: 'rate_limit', in_response: 1 }, 'failed', []],
  ])('send their error and end the response: %j', async (fault, status, codes) => {
    const caller = await client(`faults=${JSON.stringify([fault])}`);
    await caller.respond();
    expect(await caller.event('response.done')).toMatchObject({ response: { status } });
    const errors = caller.seen.filter(({ type }) => type === 'error');
    expect(errors.map(({ error }) => (error as { code: string }).code)).toEqual(codes);
    await caller.respond();
    expect(await caller.event('response.done', 2)).toMatchObject({ response: { status: 'completed' } });
  });

  it('end the session as the limit of sixty minutes does', async () => {
    const caller = await client(`faults=${JSON.stringify([{ do: 'expire', after_response: 1 }])}`);
    await caller.respond();
    expect(await caller.event('error')).toMatchObject({ error: { code: 'session_expired' } });
    await caller.closed();
  });

  it('refuse connections', async () => {
    const model = await registered(server, { faults: [{ do: 'refuse', status: 429, connections: 1 }] });
    await expect(RealtimeClient.open(server, `model=${model}`)).rejects.toThrow('refused with 429');
    await client(`model=${model}`);
  });

  it('send text that is not an event', async () => {
    const caller = await client(`faults=${JSON.stringify([{ do: 'garbage', after_ms: 1 }])}`);
    await caller.event('garbage');
    expect((await caller.respond()).said).toBe('Hello, this is Trunkline.');
  });

  it('delay the first audio', async () => {
    const caller = await client(`faults=${JSON.stringify([{ do: 'slow_audio', delay_ms: 60_000 }])}`);
    caller.send({ type: 'response.create' });
    await caller.event('response.content_part.added');
    caller.send({ type: 'response.cancel' });
    await caller.event('response.done');
    expect(caller.types()).not.toContain('response.output_audio.delta');
  });
});
