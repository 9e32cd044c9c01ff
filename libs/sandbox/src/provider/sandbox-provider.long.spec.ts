import { afterAll, describe, expect, it } from '@jest/globals';
import { decode, encode } from '@app/telephony';
import {
  type ConnectRequest,
  type ProviderEvent,
  ProviderUnavailable,
  systemClock,
  type VoiceConnection,
} from '@app/voice';
import { userSpeech, speech } from '../../test/user-speech.js';
import { SandboxServer } from '../server/sandbox-server.js';
import { SandboxProvider } from './sandbox-provider.js';

const server = await SandboxServer.start({ speech });
afterAll(() => server.close());

const REQUEST: ConnectRequest = {
  agent: { name: 'Ada', instructions: 'Sell tea.', greeting: '' },
  modality: 'audio',
  codec: 'PCMA',
  tools: [{ name: 'find_order', description: '', parameters: { type: 'object' } }],
  history: [],
};

/** A connection of the production adapter to the sandbox server, with its events. */
class Talk {
  readonly events: ProviderEvent[] = [];
  private waiting: (() => void)[] = [];
  connection: VoiceConnection;

  static async open(script?: unknown, request: Partial<ConnectRequest> = {}): Promise<Talk> {
    const talk = new Talk();
    const provider = new SandboxProvider({ server, script, speech, clock: systemClock });
    talk.connection = await provider.connect(
      { ...REQUEST, ...request },
      (event) => talk.take(event),
      new AbortController().signal,
    );
    return talk;
  }

  async event<T extends ProviderEvent['type']>(type: T): Promise<Extract<ProviderEvent, { type: T }>> {
    for (;;) {
      const found = this.events.find((event): event is Extract<ProviderEvent, { type: T }> => event.type === type);
      if (found) return found;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  get text(): string {
    return this.events.map((event) => (event.type === 'agent_text' ? event.text : '')).join('');
  }

  private take(event: ProviderEvent): void {
    this.events.push(event);
    this.waiting.splice(0).forEach((resolve) => resolve());
  }
}

describe('the sandbox provider', () => {
  it('plays the script of the agent with the metadata of the call', async () => {
    const rules = [
      {
        on: 'opening',
        say: 'Hello {{metadata.name}}.',
        call: { tool: 'find_order', arguments: { id: '{{metadata.id}}' } },
      },
    ];
    const talk = await Talk.open({ rules }, { metadata: { name: 'Jan', id: 7 } });
    talk.connection.createResponse({});
    expect(await talk.event('tool_call')).toMatchObject({ name: 'find_order', arguments: '{"id":7}' });
    await talk.event('response_done');
    expect(talk.text).toBe('Hello Jan.');
    talk.connection.close();
    expect(await talk.event('usage')).toMatchObject({ items: [{ kind: 'agent_seconds', source: 'sandbox' }] });
  });

  it('reports the time at which the user spoke, not the time of detection', async () => {
    const talk = await Talk.open();
    const words = await userSpeech(1_500);
    const audio = Buffer.concat([Buffer.alloc(8_000, 0xd5), muToA(words), Buffer.alloc(8_000, 0xd5)]);
    for (let at = 0; at < audio.length; at += 160) talk.connection.sendAudio(audio.subarray(at, at + 160));
    const { audioMs: startMs } = await talk.event('speech_started');
    const { audioMs: endMs } = await talk.event('speech_stopped');
    expect(Math.abs(startMs - 1_000)).toBeLessThan(100);
    expect(Math.abs(endMs - 2_500)).toBeLessThan(150);
    talk.connection.close();
  });

  it('answers in text without audio in a text conversation', async () => {
    const talk = await Talk.open(undefined, { modality: 'text' });
    talk.connection.sendText('Good morning.', 'user');
    talk.connection.createResponse({});
    await talk.event('response_done');
    expect(talk.text).toBe('You wrote: Good morning.');
    expect(talk.events.map(({ type }) => type)).not.toContain('audio');
    talk.connection.close();
  });

  it('loses the connection in mid-sentence when the script disconnects it', async () => {
    const talk = await Talk.open({ faults: [{ do: 'disconnect', after_audio_ms: 500 }] });
    talk.connection.createResponse({ say: 'One two three four five, and so on for quite some time.' });
    await talk.event('audio');
    await talk.event('closed');
    expect(talk.events.map(({ type }) => type)).not.toContain('response_done');
  });

  it('registers its script again when the server was replaced', async () => {
    const first = await SandboxServer.start({ speech });
    const access = { url: first.url, key: first.key };
    const provider = new SandboxProvider({ server: access, speech, clock: systemClock });
    const open = async () => (await provider.connect(REQUEST, () => undefined, new AbortController().signal)).close();
    await open();
    const { port, key } = first;
    await first.close();
    const second = await SandboxServer.start({ speech, port, key });
    await expect(open()).resolves.toBeUndefined();
    await second.close();
  });

  it('refuses an invalid script and names the place of the problem', async () => {
    const opening = Talk.open({ rules: [{ on: { speech: 0 }, say: 'x' }] });
    await expect(opening).rejects.toThrow(ProviderUnavailable);
    await expect(opening).rejects.toThrow('rules.0.on.speech');
  });
});

const muToA = (audio: Buffer): Buffer => encode('PCMA', decode('PCMU', audio));
