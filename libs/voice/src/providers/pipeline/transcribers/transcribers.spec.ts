import { afterEach, describe, expect, it } from '@jest/globals';
import type { SandboxServer } from '@app/sandbox';
import {
  A_LAW,
  english,
  MU_LAW,
  playedBy,
  send,
  transcribing,
  utterance,
  WIDEBAND,
} from '../../../../test/transcribing.js';
import { ScriptedServer } from '../../../../../../test/support/realtime-server.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { TranscriberKind } from '../leg-registry.js';
import type { LegAudio } from '../ports.js';
import { assemblyAi } from './assemblyai-transcriber.js';
import { openAi } from './openai-transcriber.js';
import { deepgram } from './deepgram-transcriber.js';

type Vendor = 'deepgram' | 'assemblyai' | 'openai';

/** The adapters with the path of their vendors' addresses, and models with other protocols; undefined: the default. */
const VENDORS: [Vendor, string | undefined, TranscriberKind, string][] = [
  ['deepgram', undefined, deepgram, ''],
  ['deepgram', 'nova-2', deepgram, ''],
  ['deepgram', 'flux-general-en', deepgram, ''],
  ['assemblyai', undefined, assemblyAi, ''],
  ['assemblyai', 'universal-streaming-multilingual', assemblyAi, ''],
  ['openai', undefined, openAi, '/v1'],
  ['openai', 'gpt-4o-transcribe', openAi, '/v1'],
];

const servers: SandboxServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe.each(VENDORS)('the transcriber %s with the model %s', (vendor, model, kind, path) => {
  const opened = async (legs: object, more: { audio?: LegAudio; key?: string } = {}) => {
    const played = await playedBy(legs);
    servers.push(played.server);
    const own = played.vendor(path);
    const server = { ...own, key: more.key ?? own.key };
    return transcribing(kind, vendor, { server, model, request: { ...english, audio: more.audio ?? MU_LAW } });
  };
  const failure = (legs: object, key?: string): Promise<unknown> =>
    opened(legs, { key }).then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each([MU_LAW, A_LAW, WIDEBAND])('writes down what the user says in %j', async (audio) => {
    const { stream, of, until, events } = await opened({ hears: ['Two pots of tea, please.'] }, { audio });
    send(stream, await utterance(audio, 2_000));
    const [final] = await until('final');
    expect(final!.text).toBe('Two pots of tea, please.');
    expect(final!.startMs).toBeGreaterThanOrEqual(300);
    expect(final!.startMs).toBeLessThan(700);
    expect(final!.endMs).toBeGreaterThan(2_000);
    expect(final!.endMs).toBeLessThan(2_700);
    const texts = of('interim').map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    expect(texts[0]!.toLowerCase()).toBe('two');
    expect(texts).toEqual(texts.toSorted((a, b) => a.length - b.length));
    expect(of('speech_started')).toHaveLength(1);
    expect(of('speech_started')[0]!.atMs).toBeLessThan(700);
    // OpenAI only detects silence.
    if (vendor !== 'openai') await until('end_of_turn');
    stream.close();
    await until('closed');
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'closed', reason: 'closed by the client' });
  });

  it('speech beyond the script has its duration instead of words', async () => {
    const { stream, of, until } = await opened({ hears: ['Hello.'] });
    send(stream, await utterance(MU_LAW, 1_000));
    send(stream, await utterance(MU_LAW, 1_200));
    const finals = await until('final', 2);
    expect(finals.map(({ text }) => text)).toEqual(['Hello.', expect.stringMatching(/^\[speech 1\.\d s\]$/)]);
    expect(of('interim').at(-1)!.text).toMatch(/^\[speech [01]\.\d s\]$/);
    stream.close();
  });

  it('does nothing after its end', async () => {
    const { stream, events } = await opened({});
    stream.close();
    const { length } = events;
    stream.send(Buffer.alloc(160));
    stream.flush();
    stream.close();
    expect(events).toHaveLength(length);
  });

  it.each([
    ['a wrong key', {}, 'wrong', ProviderUnavailable],
    ['a refused key', { transcriber: [{ do: 'refuse', status: 401 }] }, undefined, ProviderUnavailable],
    ['a refused request', { transcriber: [{ do: 'refuse', status: 400 }] }, undefined, ProviderUnavailable],
    ['a limit', { transcriber: [{ do: 'rate_limit', retry_after_seconds: 7 }] }, undefined, ProviderBusy],
    ['a failure of the vendor', { transcriber: [{ do: 'refuse', status: 503 }] }, undefined, Error],
  ])('%s is reported by its kind', async (_, legs, key, kindOfError) => {
    const error = await failure(legs, key);
    expect(error).toBeInstanceOf(kindOfError);
    expect(error instanceof ProviderUnavailable).toBe(kindOfError === ProviderUnavailable);
    expect(error instanceof ProviderBusy).toBe(kindOfError === ProviderBusy);
    expect((error as Error).message).not.toContain('wrong');
    // AssemblyAI names no time.
    const waitMs = vendor === 'assemblyai' ? 5_000 : 7_000;
    const wanted = kindOfError === ProviderBusy ? waitMs : undefined;
    expect(error instanceof ProviderBusy ? error.retryAfterMs : undefined).toBe(wanted);
  });

  it.each([
    [{ status: 402, body: { err_code: 'ASR_PAYMENT_REQUIRED', err_msg: 'Pay.' } }, ProviderUnavailable, 'Pay.'],
    [{ status: 403, body: { err_code: 'INSUFFICIENT_PERMISSIONS', err_msg: 'No.' } }, ProviderUnavailable, 'No.'],
    [{ status: 404 }, ProviderUnavailable, '404'],
    [{ status: 429, body: { err_code: 'TOO_MANY_REQUESTS', err_msg: 'Wait.' } }, ProviderBusy, 'Wait.'],
    [{ status: 429, headers: { 'retry-after': '3' } }, ProviderBusy, 'later'],
    [{ status: 502, body: 'Bad gateway' }, Error, '502'],
  ])('the HTTP response %j becomes the right error', async (response, wanted, message) => {
    const server = await ScriptedServer.start();
    server.refusals = [response];
    const { origin } = new URL(server.url.replace('ws', 'http'));
    const error = await transcribing(kind, vendor, { server: { url: origin } }).catch((failure: unknown) => failure);
    await server.stop();
    expect((error as Error).constructor).toBe(wanted);
    expect((error as Error).message).toContain(message);
  });

  it.each(['disconnect', 'garbage'])(
    'after a %s, the stream ends with its usage and without an exception',
    async (fault) => {
      const { stream, until, events } = await opened({ transcriber: [{ do: fault, after: 1_000 }], hears: ['Hello.'] });
      send(stream, await utterance(MU_LAW, 1_500));
      const [closed] = await until('closed');
      expect(closed).not.toHaveProperty('final');
      expect(events.at(-1)).toBe(closed);
      stream.close();
      expect(events.at(-1)).toBe(closed);
    },
  );

  it('a stalled server sends nothing, and the stream can be closed', async () => {
    const { stream, events } = await opened({ transcriber: [{ do: 'stall' }], hears: ['Hello.'] });
    send(stream, await utterance(MU_LAW, 1_000));
    stream.close();
    const { length } = events;
    expect(events.map(({ type }) => type).filter((type) => !['usage', 'speech_started'].includes(type))).toEqual([
      'closed',
    ]);
    expect(events[length - 1]).toEqual({ type: 'closed', reason: 'closed by the client' });
  });

  it('a slow first result is late and complete', async () => {
    const { stream, until } = await opened({ transcriber: [{ do: 'slow', delay_ms: 300 }], hears: ['Hello there.'] });
    const sentAt = performance.now();
    send(stream, await utterance(MU_LAW, 1_000));
    await until('interim');
    expect(performance.now() - sentAt).toBeGreaterThan(290);
    const [final] = await until('final');
    expect(final!.text).toBe('Hello there.');
    stream.close();
  });

  it('an abort ends the opening', async () => {
    const played = await playedBy({});
    servers.push(played.server);
    const abort = new AbortController();
    abort.abort(new Error('the call ended'));
    const opening = transcribing(kind, vendor, { server: played.vendor(path), signal: abort.signal });
    await expect(opening).rejects.toThrow('the call ended');
  });

  it('without a key or an address, the problem names the variables', () => {
    const variable = vendor.toUpperCase();
    expect(kind.problem({ provider: vendor }, { settings: {} })?.message).toBe(
      `The transcriber ${vendor} needs ${variable}_API_KEY, or ${variable}_URL for another server.`,
    );
    const settings = { vendors: { [vendor]: { url: 'sandbox', isSandbox: true } } };
    expect(kind.problem({ provider: vendor }, { settings })?.message).toContain('does not run here');
  });
});
