import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import OpenAI from 'openai';
import type { ClientEvent, ServerEvent, SessionConfig } from 'openai/resources/live/live';
import { LiveWS } from 'openai/resources/live/ws';
import { WebSocket } from 'ws';
import { speech, userSpeech } from '../../test/user-speech.js';
import { SandboxServer } from './sandbox-server.js';
import { readScript } from './script.js';

const SCRIPT = readScript({
  agent: { name: 'Ada' },
  legs: { hears: ['Is it open?'] },
  rules: [
    { on: { text: 'Is it open' }, say: 'One moment.', call: { tool: 'find_hours', arguments: { day: 'today' } } },
    { on: { tool: 'find_hours' }, say: 'Until {{result.until}}.' },
    { on: { digits: '1' }, say: 'You pressed {{digits}}. '.repeat(20) },
    { on: { text: 'wrote' }, say: 'I have read it.' },
  ],
});

type Event<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

let server: SandboxServer;
let client: LiveClient | undefined;

beforeAll(async () => {
  server = await SandboxServer.start({ speech, script: SCRIPT });
});
afterEach(() => client?.close());
afterAll(() => server.close());

/** The vendor's own client, connected to our server. */
class LiveClient {
  readonly events: ServerEvent[] = [];
  readonly closed: Promise<unknown>;
  /** The words of the agent that `says` has seen. */
  said = '';
  private waiting: (() => void)[] = [];

  private constructor(private readonly socket: LiveWS) {
    socket.on('event', (event) => {
      this.events.push(event);
      this.waiting.splice(0).forEach((resolve) => resolve());
    });
    // Errors are events as well; without a listener the client throws them.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.on('close', resolve));
  }

  static async open(session: Partial<SessionConfig> = {}): Promise<LiveClient> {
    const openai = new OpenAI({ apiKey: server.key, baseURL: `http://127.0.0.1:${server.port}/v1` });
    const opened = new LiveClient(new LiveWS(openai));
    opened.send({ type: 'session.start', session: { ...SESSION, ...session } });
    return opened;
  }

  send(...events: ClientEvent[]): void {
    for (const event of events) this.socket.send(event);
  }

  /** The next event of the type that has not been awaited. */
  async event<T extends ServerEvent['type']>(type: T): Promise<Event<T>> {
    for (;;) {
      const at = this.events.findIndex((event) => event.type === type);
      if (at >= 0) return this.events.splice(at, 1)[0] as Event<T>;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Resolves when the agent says the text in one sentence. */
  async says(text: string): Promise<void> {
    for (let delta = ''; !delta.includes(text); this.said += delta)
      ({ delta } = await this.event('session.output_transcript.delta'));
  }

  speaks(audio: Buffer): void {
    for (let at = 0; at < audio.length; at += 160)
      this.send({ type: 'session.input_audio.append', audio: audio.subarray(at, at + 160).toString('base64') });
  }

  close(): void {
    this.socket.close();
  }
}

const SESSION: SessionConfig = {
  model: 'gpt-live-1',
  audio: { format: { type: 'audio/pcmu', rate: 8_000 } },
  delegation: {
    type: 'responses',
    responses: { model: 'b', tools: [{ type: 'function', name: 'find_hours', parameters: { type: 'object' } }] },
  },
};
const SILENCE = Buffer.alloc(8_000, 0xff);
const instructions = (content: string): ClientEvent => ({
  type: 'session.instructions.append',
  content,
  delegation_id: null,
});

describe("a Live session of OpenAI's client", () => {
  it('speaks given words, hears the user, leaves the tool to the backend and answers with its result', async () => {
    client = await LiveClient.open();
    const { session } = await client.event('session.started');
    expect(session).toMatchObject({ status: 'active', model: 'gpt-live-1', id: expect.stringMatching(/^live_/) });
    client.send({ type: 'session.commentary.append', content: 'Good morning.', delegation_id: null });
    await client.event('session.commentary.appended');
    await client.says('Good morning.');
    expect(Buffer.from((await client.event('session.output_audio.delta')).delta, 'base64')).toHaveLength(800);
    await client.event('session.usage.updated');

    client.speaks(Buffer.concat([await userSpeech(1_000), SILENCE]));
    const words = [];
    for (let i = 0; i < 3; i++) words.push(await client.event('session.input_transcript.delta'));
    expect(words.map(({ delta }) => delta).join('')).toBe('Is it open?');
    expect(words[2]!.end_ms).toBeGreaterThan(words[0]!.start_ms + 500);
    await client.says('One moment.');
    const { delegation } = await client.event('session.delegation.created');
    const nested = [];
    for (let i = 0; i < 3; i++) nested.push(await client.event('response.event'));
    expect(nested.map(({ delegation_id: id }) => id)).toEqual(Array(3).fill(delegation.id));
    const [, called, completed] = nested.map(({ event }) => event);
    expect(called).toMatchObject({ item: { type: 'function_call', name: 'find_hours', arguments: '{"day":"today"}' } });
    expect(completed).toMatchObject({ response: { usage: { input_tokens: expect.any(Number) } } });
    const { call_id } = (called as unknown as { item: { call_id: string } }).item;
    const item = { type: 'function_call_output' as const, call_id, output: '{"until":"nine"}' };
    client.send({ type: 'response.item.create', item }, { type: 'response.create' });
    await client.says('Until nine.');

    client.send({ type: 'session.close' });
    const closed = await client.event('session.closed');
    expect(closed).toMatchObject({ reason: 'close_requested', usage: { seconds: expect.any(Number) } });
    await client.closed;
  });

  it('falls silent when the user speaks, and takes what the caller did elsewhere as instructions', async () => {
    client = await LiveClient.open();
    await client.event('session.started');
    client.send(instructions('[The caller pressed the keys 1]'));
    await client.says('You pressed 1.');
    client.speaks(Buffer.concat([await userSpeech(1_000), SILENCE]));
    await client.says('One moment.');
    client.send(instructions('The caller wrote: I wrote.'));
    await client.says('I have read it.');
    expect(client.said.match(/You pressed/g)!.length).toBeLessThan(10);
  });

  it('takes new instructions and tools of the backend', async () => {
    client = await LiveClient.open();
    await client.event('session.started');
    const responses = { instructions: 'Be brief.', tools: [] };
    client.send({ type: 'session.update', session: { delegation: { type: 'responses', responses } } });
    const { session } = await client.event('session.updated');
    expect(session.delegation).toMatchObject({ responses: { model: 'b', ...responses } });
  });

  it.each<[string, ClientEvent, object]>([
    ['a second start', { type: 'session.start', session: SESSION }, { code: 'session_already_started' }],
    [
      'an unknown tool call',
      { type: 'response.item.create', item: { type: 'function_call_output', call_id: 'x', output: '' }, event_id: 'e' },
      { code: 'invalid_tool_call_id', param: 'item.call_id', client_event_id: 'e' },
    ],
    [
      'an unknown parameter',
      { type: 'response.create', more: 1 } as ClientEvent,
      { code: 'unknown_parameter', param: 'more' },
    ],
    ['an unknown event', { type: 'x' } as unknown as ClientEvent, { code: 'invalid_value', param: 'type' }],
  ])('refuses %s with an error event, and goes on', async (_, event, error) => {
    client = await LiveClient.open();
    await client.event('session.started');
    client.send(event);
    expect(await client.event('error')).toMatchObject({ error });
    client.send({ type: 'session.commentary.append', content: 'Still here.', delegation_id: null });
    await client.says('Still here.');
  });

  it('refuses events before the start, models that nobody registered and wrong keys', async () => {
    client = await LiveClient.open({ model: `script-${'0'.repeat(64)}` });
    expect(await client.event('error')).toMatchObject({ error: { code: 'model_not_found', param: 'session.model' } });
    client.send({ type: 'response.create' });
    expect(await client.event('error')).toMatchObject({ error: { code: 'session_not_started' } });
    const stranger = new WebSocket(`ws://127.0.0.1:${server.port}/v1/live/sessions`);
    const [, { statusCode }] = await once(stranger, 'unexpected-response');
    expect(statusCode).toBe(401);
  });
});
