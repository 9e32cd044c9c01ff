import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SandboxServer } from '@app/sandbox';
import { request } from '../../../test/realtime-call.js';
import { userSpeech, speech } from '../../../test/test-call.js';
import { systemClock } from '../../clock.js';
import { ProviderUnavailable, type ConnectRequest, type ProviderEvent } from '../voice-provider.js';
import { RealtimeProvider } from './realtime-provider.js';

let server: SandboxServer;

beforeEach(async () => {
  server = await SandboxServer.start({ speech });
});
afterEach(() => server.close());

const providerWith = (key = server.key) =>
  new RealtimeProvider({
    name: 'openai-realtime',
    url: server.url,
    key,
    model: 'sandbox',
    billing: 'tokens',
    clock: systemClock,
  });

/** A conversation with the sandbox server. */
async function conversing(changes: Partial<ConnectRequest> = {}) {
  const events: ProviderEvent[] = [];
  let wake = (): void => undefined;
  const onEvent = (event: ProviderEvent) => {
    events.push(event);
    wake();
  };
  const { signal } = new AbortController();
  const connection = await providerWith().connect({ ...request, ...changes }, onEvent, signal);
  const until = async <T extends ProviderEvent['type']>(type: T, count = 1) => {
    const found = () => events.filter((event): event is Extract<ProviderEvent, { type: T }> => event.type === type);
    while (found().length < count) await new Promise<void>((resolve) => (wake = resolve));
    return found();
  };
  const said = () => events.flatMap((event) => (event.type === 'agent_text' ? [event.text] : [])).join('');
  return { connection, events, until, said };
}

it.each(['PCMU', 'PCMA'] as const)(
  'the sandbox greets in %s, detects speech and answers it without a request',
  async (codec) => {
    const { connection, events, until, said } = await conversing({ codec });
    connection.createResponse({ say: 'Hello, tea house.' });
    await until('response_done');
    expect(said().trim()).toBe('Hello, tea house.');
    const audio = events.flatMap((event) => (event.type === 'audio' ? [event.audio] : []));
    expect(Buffer.concat(audio).length).toBeGreaterThan(4000);
    const speech = Buffer.concat([await userSpeech(800), Buffer.alloc(16_000, codec === 'PCMU' ? 0xff : 0xd5)]);
    for (let at = 0; at < speech.length; at += 160) connection.sendAudio(speech.subarray(at, at + 160));
    await until('speech_stopped');
    await until('response_done', 2);
    connection.close();
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    expect(
      events.some((event) => event.type === 'usage' && event.items.some(({ kind }) => kind === 'output_audio_tokens')),
    ).toBe(true);
  },
);

it('a sandbox response can be cancelled and truncated without an error', async () => {
  const { connection, events, until } = await conversing();
  connection.createResponse({ say: 'One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten.' });
  const [first] = await until('audio');
  connection.cancelResponse();
  connection.truncate(first!.itemId, 200);
  await until('response_done');
  connection.sendDigits('5');
  connection.createResponse({});
  await until('response_done', 2);
  connection.close();
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  expect(events.at(-1)?.type).toBe('closed');
});

it('the sandbox supports text-only sessions', async () => {
  const { connection, events, until, said } = await conversing({ modality: 'text' });
  connection.sendText('Good morning!', 'user');
  connection.createResponse({});
  await until('response_done');
  connection.close();
  expect(said()).toContain('Good morning');
  expect(events.filter(({ type }) => type === 'audio' || type === 'error')).toEqual([]);
});

it('a reconnected sandbox session continues with the history', async () => {
  const history: ConnectRequest['history'] = [
    { role: 'agent', text: 'Hello, tea house.' },
    { role: 'user', text: 'Two teas.' },
    { role: 'system', text: 'You called the tool order with {}. It returned: {}' },
  ];
  const { connection, events, until, said } = await conversing({ history });
  connection.createResponse({});
  await until('response_done');
  connection.close();
  expect(said()).not.toBe('');
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
});

it('the sandbox refuses a wrong key', async () => {
  const { signal } = new AbortController();
  const connecting = providerWith('wrong').connect(request, () => undefined, signal);
  await expect(connecting).rejects.toThrow(ProviderUnavailable);
});
