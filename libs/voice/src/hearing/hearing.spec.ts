import { afterEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { decode, encode } from '@app/telephony';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { PuppetProvider } from '../../test/puppet-provider.js';
import { answeredCall } from '../../test/test-call.js';
import { HearingClient, type NoiseSuppressor, type SpeechDetector } from './hearing-client.js';
import { type HearingModels, HearingService, type SuppressionModel, type VoiceModel } from './hearing-service.js';

const WINDOW = 256;
const LOUD = encode('PCMU', new Int16Array(160).fill(8_000));
const SOFT = encode('PCMU', new Int16Array(160).fill(40));
const SILENT = Buffer.alloc(160, 0xff);

/** Takes soft sounds for voice and loud ones for noise: the opposite of energy. */
class SoftVoices implements VoiceModel {
  readonly batches: number[] = [];
  /** Each run waits for it. */
  gate: Promise<void> = Promise.resolve();
  failure: Error | undefined;

  windowOf(): number {
    return WINDOW;
  }

  async probabilities(windows: Float32Array[]): Promise<Float32Array> {
    this.batches.push(windows.length);
    await this.gate;
    if (this.failure) throw this.failure;
    return Float32Array.from(windows, (window) => (window[0]! > 0 && window[0]! < 0.1 ? 0.9 : 0.1));
  }
}

/** Halves every sample. */
class Halving implements SuppressionModel {
  streams = 0;

  open(): ReturnType<SuppressionModel['open']> {
    this.streams++;
    return { clean: (samples) => samples.map((sample) => sample / 2), close: () => void this.streams-- };
  }
}

const ports: MessagePort[] = [];
afterEach(() => ports.splice(0).forEach((port) => port.close()));

function hearing(models: Partial<HearingModels> = {}) {
  const voice = new SoftVoices();
  const suppression = new Halving();
  const service = new HearingService({
    voice: () => Promise.resolve(voice),
    clean: () => Promise.resolve(suppression),
    ...models,
  });
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  service.serve(port2);
  const warnings: string[] = [];
  const log = createLog({ level: 'silent', role: 'test' });
  const warn = (_: unknown, text?: string): void => void warnings.push(text ?? '');
  const client = HearingClient.connect(port1, Object.assign(log, { warn }));
  return { voice, suppression, client, warnings, port1, port2 };
}

/** Both ends of the channel take their messages. */
async function exchanged(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function hear(detector: SpeechDetector, frame: Buffer, frames: number): Promise<void> {
  for (let i = 0; i < frames; i++) {
    detector.push(frame);
    await exchanged();
  }
}

/** The model has answered: from here on it decides. */
async function listening(client: HearingClient): Promise<SpeechDetector> {
  const detector = client.voiceActivity('PCMU', {});
  await hear(detector, SILENT, 10);
  return detector;
}

describe('neural voice activity', () => {
  it('decides instead of energy: a soft voice is speech, and a loud noise is not', async () => {
    const detector = await listening(hearing().client);
    await hear(detector, LOUD, 20);
    expect(detector.speaking).toBe(false);
    await hear(detector, SOFT, 20);
    expect(detector.speaking).toBe(true);
    expect(detector.speechMs).toBeGreaterThan(350);
    await hear(detector, SILENT, 30);
    expect(detector.speaking).toBe(false);
    expect(detector.silenceMs).toBeGreaterThan(500);
  });

  it('leaves the decision to energy until the model is loaded, and loses no audio meanwhile', async () => {
    let load = (): void => undefined;
    const voice = new SoftVoices();
    const loading = new Promise<VoiceModel>((resolve) => (load = () => resolve(voice)));
    const { client, warnings } = hearing({ voice: () => loading });
    const detector = client.voiceActivity('PCMU', {});
    await hear(detector, LOUD, 5);
    expect(detector.speaking).toBe(true);
    load();
    await exchanged();
    expect(voice.batches.length).toBe(Math.floor((5 * 160) / WINDOW));
    await hear(detector, LOUD, 40);
    expect(detector.speaking).toBe(false);
    expect(warnings).toEqual([]);
  });

  it('runs the model once for all calls of a thread', async () => {
    const { client, voice } = hearing();
    const detectors = Array.from({ length: 10 }, () => client.voiceActivity('PCMU', {}));
    for (let i = 0; i < 16; i++) {
      for (const detector of detectors) detector.push(SOFT);
      await exchanged();
    }
    expect(voice.batches).toEqual(Array.from({ length: 10 }, () => 10));
    expect(detectors.every(({ speaking }) => speaking)).toBe(true);
  });

  it('leaves the decision to energy while the thread is behind, and sends it no more than a second of audio', async () => {
    const { client, voice, warnings } = hearing();
    const [one, other] = [await listening(client), await listening(client)];
    let release = (): void => undefined;
    voice.gate = new Promise((resolve) => (release = resolve));
    const runs = voice.batches.length;
    for (let i = 0; i < 100; i++) {
      one.push(LOUD);
      other.push(LOUD);
      await exchanged(2);
    }
    expect([one.speaking, other.speaking]).toEqual([true, true]);
    expect(warnings).toEqual(['the hearing thread is behind']);
    release();
    await exchanged(200);
    expect(voice.batches.length - runs).toBeLessThanOrEqual(Math.ceil(8_000 / WINDOW) + 2);
    await hear(one, LOUD, 30);
    expect(one.speaking).toBe(false);
  });

  it('leaves the decision to energy when the thread ends, and logs that once', async () => {
    const { client, warnings, port2 } = hearing();
    const [one, other] = [await listening(client), await listening(client)];
    port2.close();
    await exchanged();
    await hear(one, LOUD, 5);
    await hear(other, LOUD, 5);
    expect([one.speaking, other.speaking]).toEqual([true, true]);
    expect(warnings).toHaveLength(1);
    const late = client.voiceActivity('PCMU', {});
    await hear(late, LOUD, 5);
    expect(late.speaking).toBe(true);
  });

  it.each([
    ['its package is missing', { voice: () => Promise.reject(new Error('The package is not installed.')) }, undefined],
    ['it fails', {}, new Error('out of memory')],
  ])('leaves the decision to energy when %s, and logs that once', async (_, models, failure) => {
    const { client, warnings, voice } = hearing(models);
    voice.failure = failure;
    const [one, other] = [await listening(client), await listening(client)];
    await hear(one, LOUD, 5);
    await hear(other, LOUD, 5);
    expect([one.speaking, other.speaking]).toEqual([true, true]);
    expect(warnings).toEqual(['neural voice activity is not available, energy detects the voice of users']);
  });

  it('a call that has ended costs nothing', async () => {
    const { client, voice } = hearing();
    const detector = await listening(client);
    detector.close?.();
    const runs = voice.batches.length;
    await hear(detector, SOFT, 10);
    expect(voice.batches).toHaveLength(runs);
  });
});

describe('noise suppression', () => {
  const pass = async (suppressor: NoiseSuppressor, value: number): Promise<number> => {
    const passed = suppressor.pass(encode('PCMU', new Int16Array(160).fill(value)));
    await exchanged();
    // G.711 keeps the power of two.
    const sample = decode('PCMU', passed)[80]!;
    return sample === 0 ? 0 : 2 ** Math.round(Math.log2(sample));
  };

  it('passes every frame once, 20 ms later and without noise', async () => {
    const suppressor = hearing().client.noiseSuppressor('PCMU');
    const heard: number[] = [];
    for (const value of [4_096, 8_192, 2_048, 0]) heard.push(await pass(suppressor, value));
    expect(heard).toEqual([0, 2_048, 4_096, 1_024]);
  });

  it('passes a frame unchanged when the thread is too slow, and the later ones in order', async () => {
    const { client } = hearing();
    const suppressor = client.noiseSuppressor('PCMU');
    await pass(suppressor, 4_096);
    suppressor.pass(encode('PCMU', new Int16Array(160).fill(8_192)));
    // Without a turn of the event loop there is no result for the frame before.
    expect(await pass(suppressor, 2_048)).toBe(8_192);
    expect(await pass(suppressor, 512)).toBe(1_024);
    expect(await pass(suppressor, 0)).toBe(256);
  });

  it('passes the audio unchanged without its package and after the end of the thread', async () => {
    const missing = hearing({ clean: () => Promise.reject(new Error('The package is not installed.')) });
    const one = missing.client.noiseSuppressor('PCMU');
    await pass(one, 4_096);
    expect(await pass(one, 8_192)).toBe(4_096);
    expect(missing.warnings).toEqual(['noise suppression is not available']);

    const ended = hearing();
    const other = ended.client.noiseSuppressor('PCMU');
    await pass(other, 4_096);
    ended.port2.close();
    await exchanged();
    await pass(other, 8_192);
    expect(await pass(other, 0)).toBe(8_192);
  });

  it('releases the stream of a call that has ended, also while the model is loaded', async () => {
    const { client, suppression } = hearing();
    const [one, two] = [client.noiseSuppressor('PCMU'), client.noiseSuppressor('PCMU')];
    two.close();
    await exchanged();
    expect(suppression.streams).toBe(1);
    one.close();
    await exchanged();
    expect(suppression.streams).toBe(0);
  });

  it('releases all streams of a thread that has ended', async () => {
    const { client, suppression, port1 } = hearing();
    client.noiseSuppressor('PCMU');
    await exchanged();
    port1.close();
    await exchanged();
    expect(suppression.streams).toBe(0);
  });
});

describe('the hearing of a call', () => {
  const SOFT_LINE = Buffer.alloc(8_000, SOFT);
  const LOUD_LINE = Buffer.alloc(8_000, LOUD);

  async function telling(settings: { voiceActivity?: 'energy' | 'neural'; noiseSuppression?: boolean }) {
    const { client, suppression, voice } = hearing();
    const provider = new PuppetProvider();
    const call = answeredCall({ provider: () => provider, hearing: client, settings: { hearing: settings } });
    await call.line.until(() => provider.connections.length === 1, 100);
    provider.last.begin('A long story.', 10_000);
    await call.line.run(1_200);
    return { call, provider, suppression, voice };
  }

  it.each([
    ['neural: a soft voice interrupts the agent', 'neural', SOFT_LINE, 1],
    ['neural: a loud noise does not interrupt the agent', 'neural', LOUD_LINE, 0],
    ['energy: a soft voice does not interrupt the agent', 'energy', SOFT_LINE, 0],
    ['energy: a loud noise interrupts the agent', 'energy', LOUD_LINE, 1],
  ] as const)('%s', async (_, voiceActivity, heard, interruptions) => {
    const { call, voice } = await telling({ voiceActivity });
    await call.line.run(600, heard);
    expect(call.of('interrupted')).toHaveLength(interruptions);
    call.session.stop('user_hangup');
    const runs = voice.batches.length;
    expect(runs > 0).toBe(voiceActivity === 'neural');
    await call.line.run(200, heard);
    expect(voice.batches).toHaveLength(runs);
  });

  it('the provider hears the audio without noise, and the stream is released with the call', async () => {
    const { call, provider, suppression } = await telling({ noiseSuppression: true });
    for (let i = 0; i < 5; i++) {
      await call.line.run(20, LOUD_LINE);
      await exchanged();
    }
    expect(decode('PCMU', provider.last.heard)[80]).toBeLessThan(4_500);
    expect(suppression.streams).toBe(1);
    call.session.stop('user_hangup');
    await exchanged();
    expect(suppression.streams).toBe(0);
  });

  it('the provider hears the line as it is by default', async () => {
    const { call, provider, suppression } = await telling({});
    await call.line.run(200, LOUD_LINE);
    expect(provider.last.heard).toEqual(LOUD);
    expect(suppression.streams).toBe(0);
  });
});
