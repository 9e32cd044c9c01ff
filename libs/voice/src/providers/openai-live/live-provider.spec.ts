import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request } from '../../../test/realtime-call.js';
import { type AnyEvent, ScriptedServer } from '../../../../../test/support/realtime-server.js';
import { TestClock } from '../../../test/test-clock.js';
import { ProviderUnavailable, type ConnectRequest, type ProviderEvent } from '../voice-provider.js';
import { LiveProvider } from './live-provider.js';

let server: ScriptedServer;
let clock: TestClock;

beforeEach(async () => {
  server = await ScriptedServer.start();
  server.hello = undefined;
  server.onSession = () => ({ type: 'session.started', session: { id: 'live_1' } });
  clock = new TestClock();
});
afterEach(() => server.stop());

const provider = () =>
  new LiveProvider({ name: 'openai-live', url: server.url, key: 'secret', model: 'm', backendModel: 'b', clock });

/** Tokens that no test bills. */
const MARK = 777;

async function connected(changes: Partial<ConnectRequest> = {}) {
  const events: ProviderEvent[] = [];
  const onEvent = (event: ProviderEvent) => void events.push(event);
  const { signal } = new AbortController();
  const connection = await provider().connect({ ...request, ...changes }, onEvent, signal);
  /** Sends events; resolves when the adapter has handled them, by the bill of a last one. */
  const send = async (...sent: AnyEvent[]) => {
    const event = { type: 'response.completed', response: { usage: { input_tokens: MARK, output_tokens: 0 } } };
    server.last.send(...sent, { type: 'response.event', delegation_id: 'mark', event });
    const isMark = (last?: ProviderEvent): boolean =>
      last?.type === 'usage' && last.items[0]?.quantity === MARK / 1_000;
    while (!isMark(events.at(-1))) await new Promise(setImmediate);
    events.pop();
  };
  return { connection, events, send };
}

const LOUD = Buffer.alloc(160, 0x10);
const QUIET = Buffer.alloc(160, 0xff);
const sound = (audio: Buffer): AnyEvent => ({ type: 'session.output_audio.delta', delta: audio.toString('base64') });
const said = (delta: string): AnyEvent => ({ type: 'session.output_transcript.delta', delta });
const behind = (event: object): AnyEvent => ({ type: 'response.event', delegation_id: 'd1', event });

describe('a live session', () => {
  it("the first event starts the session with G.711, the history and the backend's tools", async () => {
    await connected({ history: [{ role: 'user', text: 'Two teas.' }] });
    expect(server.requests[0]?.url).toBe('/v1/realtime');
    expect(server.last.received).toEqual([
      {
        type: 'session.start',
        session: {
          model: 'm',
          instructions: 'Take orders for tea.',
          audio: { format: { type: 'audio/pcmu', rate: 8000 } },
          input: [{ role: 'user', content: [{ type: 'input_text', text: 'Two teas.' }] }],
          delegation: {
            type: 'responses',
            responses: {
              model: 'b',
              instructions: 'Take orders for tea.',
              tools: [{ type: 'function', name: 'order', description: 'Orders tea.', parameters: { type: 'object' } }],
            },
          },
        },
      },
    ]);
  });

  it('a live session has no text mode', async () => {
    await expect(connected({ modality: 'text' })).rejects.toThrow(ProviderUnavailable);
  });

  it('a refused live session reports the reason', async () => {
    server.onSession = () => ({
      type: 'error',
      error: { type: 'invalid_request_error', code: 'x', message: 'No voice.' },
    });
    await expect(connected()).rejects.toThrow('rejected the session (x): No voice.');
  });

  it('audible audio up to a pause becomes one agent response', async () => {
    const { events, send } = await connected();
    await send(sound(QUIET), said('Hello '), sound(LOUD), said('there.'), sound(QUIET));
    expect(events).toEqual([
      { type: 'response_started', responseId: 'stretch-1' },
      { type: 'agent_text', responseId: 'stretch-1', itemId: 'said-1', text: 'Hello ' },
      { type: 'audio', responseId: 'stretch-1', itemId: 'said-1', audio: LOUD },
      { type: 'agent_text', responseId: 'stretch-1', itemId: 'said-1', text: 'there.' },
      { type: 'audio', responseId: 'stretch-1', itemId: 'said-1', audio: QUIET },
    ]);
    clock.advance(1000);
    expect(events.at(-1)).toEqual({ type: 'response_done', responseId: 'stretch-1', status: 'completed' });
  });

  it('a requested response that only calls tools is over with the calls; one that is heard goes on', async () => {
    const { connection, events, send } = await connected();
    const item = { type: 'function_call', call_id: 'c', name: 'order', arguments: '{}' };
    const called = behind({ type: 'response.output_item.done', item });
    connection.createResponse({});
    await send(sound(QUIET), called);
    expect(events.filter(({ type }) => type !== 'audio').map(({ type }) => type)).toEqual([
      'response_started',
      'tool_call',
      'response_done',
    ]);
    connection.createResponse({});
    await send(sound(LOUD), called);
    expect(events.at(-1)).toMatchObject({ type: 'tool_call' });
    clock.advance(1_000);
    expect(events.at(-1)).toMatchObject({ type: 'response_done', status: 'completed' });
  });

  it("the user's words up to a pause become one turn", async () => {
    const { events, send } = await connected();
    const words = (delta: string, start: number, end: number) => ({
      type: 'session.input_transcript.delta',
      delta,
      start_ms: start,
      end_ms: end,
    });
    await send(words('Two', 500, 700), words(' teas.', 700, 1100));
    clock.advance(1200);
    expect(events).toEqual([
      { type: 'speech_started', itemId: 'heard-1', audioMs: 500 },
      { type: 'speech_stopped', itemId: 'heard-1', audioMs: 1100 },
      { type: 'user_text', itemId: 'heard-1', text: 'Two teas.' },
    ]);
  });

  it('words to say, keys and notes are sent, cancellations are not', async () => {
    const { connection, events } = await connected();
    connection.createResponse({ say: 'Hello, tea house.' });
    connection.cancelResponse();
    connection.truncate('said-1', 100);
    connection.sendDigits('12');
    connection.sendText('The call ends soon.', 'system');
    expect((await server.last.got(4)).slice(1)).toEqual([
      { type: 'session.commentary.append', content: 'Hello, tea house.', delegation_id: null },
      { type: 'session.instructions.append', content: '[The caller pressed the keys 12]', delegation_id: null },
      { type: 'session.instructions.append', content: 'The call ends soon.', delegation_id: null },
    ]);
    connection.createResponse({});
    expect(events.at(-1)).toEqual({ type: 'response_refused' });
    clock.advance(8000);
    expect(events.at(-1)).toMatchObject({ type: 'response_done' });
  });

  it('the backend model calls tools and continues with their results', async () => {
    const { connection, events, send } = await connected();
    const call = { type: 'function_call', call_id: 't1', name: 'order', arguments: '{"n":2}' };
    await send(behind({ type: 'response.output_item.done', item: call }));
    expect(events).toEqual([
      { type: 'tool_call', responseId: 'd1', toolCallId: 't1', name: 'order', arguments: '{"n":2}' },
    ]);
    connection.sendToolResult('t1', '{"ok":true}');
    connection.createResponse({});
    expect((await server.last.got(3)).slice(1)).toEqual([
      { type: 'response.item.create', item: { type: 'function_call_output', call_id: 't1', output: '{"ok":true}' } },
      { type: 'response.create' },
    ]);
  });

  it.each<[string, AnyEvent[], string | undefined]>([
    ['completes', [behind({ type: 'response.completed', response: {} })], undefined],
    [
      'fails',
      [behind({ type: 'response.failed', response: { error: { code: 'overloaded', message: 'Busy.' } } })],
      'Busy.',
    ],
    ['ends with an error event', [behind({ type: 'error', code: null, message: 'Out of memory.' })], 'Out of memory.'],
    ['ends with a nested error', [behind({ type: 'error', error: { message: 'Out of memory.' } })], 'Out of memory.'],
    ['is lost in an error of the server', [{ type: 'error', error: { message: 'Broken.' } }], 'Broken.'],
    ['is followed by another response', [behind({ type: 'response.created' })], undefined],
  ])('a call of a response of the backend model runs once when the response %s', async (_, ends, message) => {
    const { events, send } = await connected();
    const item = { type: 'function_call', call_id: 't1', name: 'order', arguments: '{}' };
    await send(behind({ type: 'response.created' }), behind({ type: 'response.output_item.done', item }));
    expect(events).toEqual([]);
    await send(...ends, behind({ type: 'response.completed', response: {} }));
    expect(events.filter(({ type }) => type === 'tool_call')).toMatchObject([{ toolCallId: 't1' }]);
    expect(events.flatMap((event) => (event.type === 'error' ? [event.message] : []))).toEqual(
      message ? [message] : [],
    );
  });

  it('an error that a command caused does not run the calls of a response that goes on', async () => {
    const { events, send } = await connected();
    const item = { type: 'function_call', call_id: 't1', name: 'order', arguments: '{}' };
    await send(behind({ type: 'response.created' }), behind({ type: 'response.output_item.done', item }));
    await send({ type: 'error', client_event_id: 'c1', error: { message: 'Invalid command.' } });
    expect(events.map(({ type }) => type)).toEqual(['error']);
  });

  it.each<[string, { say?: string }, AnyEvent[], string]>([
    ['after a result of a tool is complete', {}, [], 'completed'],
    ['after a result and a fault has failed', {}, [{ type: 'error', error: { message: 'Broken.' } }], 'failed'],
    ['after a result and a fault of the backend has failed', {}, [behind({ type: 'error', message: 'No.' })], 'failed'],
    ['although words were requested has failed', { say: 'Hello.' }, [], 'failed'],
  ])('an agent that is silent %s', async (_, requested, sent, status) => {
    const { connection, events, send } = await connected();
    await send({ type: 'error', error: { message: 'An older fault.' } });
    connection.sendToolResult('t1', '{"ok":true}');
    connection.createResponse(requested);
    await send(...sent);
    clock.advance(8_000);
    expect(events.at(-1)).toEqual({ type: 'response_done', responseId: 'stretch-1', status });
  });

  it('usage has the seconds of the session and the tokens of the backend model', async () => {
    const { connection, events, send } = await connected();
    const usage = (seconds: number) => ({ type: 'session.usage.updated', usage: { seconds } });
    const tokens = { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 7 };
    await send(usage(1.5), usage(1.5), usage(4), behind({ type: 'response.completed', response: { usage: tokens } }));
    clock.advance(4250);
    connection.close();
    const items = events.flatMap((event) => (event.type === 'usage' ? event.items : []));
    expect(items.map(({ kind, quantity, source }) => [kind, quantity, source])).toEqual([
      ['agent_seconds', 1.5, 'openai-live:m'],
      ['agent_seconds', 2.5, 'openai-live:m'],
      ['input_text_tokens', 0.06, 'openai-live:b'],
      ['cached_text_tokens', 0.04, 'openai-live:b'],
      ['output_text_tokens', 0.007, 'openai-live:b'],
      ['agent_seconds', 0.25, 'openai-live:m'],
    ]);
  });

  it('a live session is closed by the client or the server', async () => {
    const { connection, events } = await connected();
    connection.close();
    await once(server.last.socket, 'close');
    expect(server.last.received.at(-1)).toEqual({ type: 'session.close' });
    expect(events.at(-1)).toEqual({ type: 'closed', reason: 'closed by the client' });
    const other = await connected();
    server.last.send({ type: 'session.closed', reason: 'expired', usage: { seconds: 0 }, session: {} });
    while (other.events.length === 0) await new Promise(setImmediate);
    expect(other.events).toEqual([{ type: 'closed', reason: 'The server ended the session (expired).' }]);
  });
});
