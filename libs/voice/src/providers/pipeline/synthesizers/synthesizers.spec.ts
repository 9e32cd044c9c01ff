import { afterEach, describe, expect, it } from '@jest/globals';
import type { SandboxServer } from '@app/sandbox';
import {
  collect,
  durationMs,
  L16,
  openedSynthesizer,
  PCMA,
  PCMU,
  playedVendors,
  samplesOf,
  spoken,
} from '../../../../test/spoken-sentences.js';
import { speech } from '../../../../test/test-call.js';
import { isAudible } from '../../../speech/voice.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { Synthesizer } from '../ports.js';

const VENDORS = ['elevenlabs', 'cartesia', 'deepgram', 'openai'] as const;
const TIMED: readonly string[] = ['elevenlabs', 'cartesia'];
const TEXT = 'Good morning! Your two pots of green tea are ready.';

let servers: SandboxServer[] = [];
let opened: Synthesizer[] = [];

afterEach(async () => {
  opened.forEach((synthesizer) => synthesizer.close?.());
  for (const server of servers) await server.close();
  servers = [];
  opened = [];
});

async function played(choice: SynthesizerChoice, faults: object[] = []): Promise<Synthesizer> {
  const { server, settings } = await playedVendors(faults);
  servers.push(server);
  const synthesizer = await openedSynthesizer(choice, settings);
  opened.push(synthesizer);
  return synthesizer;
}

/** The duration of the text as the emulators speak it. */
async function expectedMs(text: string): Promise<number> {
  let samples = 0;
  for await (const sentence of speech.samples(text, undefined, new AbortController().signal))
    samples += sentence.samples.length;
  return samples / 8;
}

describe.each(VENDORS)('the synthesizer %s', (provider) => {
  it.each([PCMU, PCMA, L16])('speaks exactly in the requested format ($codec, $rate Hz)', async (audio) => {
    const sentence = await spoken(await played({ provider }), { text: TEXT, audio });
    expect(Math.abs(durationMs(audio, sentence.audio) - (await expectedMs(TEXT)))).toBeLessThan(2);
    expect(isAudible(samplesOf(audio, sentence.audio))).toBe(true);
  });

  it('bills the characters of the sentence once', async () => {
    const synthesizer = await played({ provider, ...(provider === 'openai' && { model: 'tts-1' }) });
    expect((await spoken(synthesizer, { text: TEXT })).usage).toEqual([
      { kind: 'synthesis_characters', quantity: 0.051, unit: 'thousand_characters', source: synthesizer.name },
    ]);
  });

  it('speaks several sentences at the same time, each with its own audio', async () => {
    const synthesizer = await played({ provider });
    await synthesizer.prepare?.(new AbortController().signal);
    const texts = ['One.', 'Two apples.', 'Three long sentences of tea.', 'Four.'];
    const alone: Buffer[] = [];
    for (const text of texts) alone.push((await spoken(synthesizer, { text })).audio);
    const together = await Promise.all(texts.map((text) => spoken(synthesizer, { text })));
    expect(together.map(({ audio }) => audio.equals(alone.shift()!))).toEqual([true, true, true, true]);
  });

  it('an abort ends the sentence without an error, and the sentence is billed', async () => {
    const synthesizer = await played({ provider });
    const abort = new AbortController();
    const events: string[] = [];
    for await (const { type } of synthesizer.speak({ text: TEXT, audio: PCMU }, abort.signal)) {
      events.push(type);
      if (type === 'audio') abort.abort();
    }
    expect(events.filter((type) => type === 'usage')).toHaveLength(1);
    expect(events.filter((type) => type === 'audio')).toHaveLength(1);
    expect((await spoken(synthesizer, { text: 'Next.' })).audio.length).toBeGreaterThan(1_000);
  });

  it('an aborted signal sends nothing', async () => {
    const { usage, audio } = await spoken(await played({ provider }), { text: TEXT }, AbortSignal.abort());
    expect([usage, audio.length]).toEqual([[], 0]);
  });

  it.each([
    ['a wrong key', { do: 'refuse', status: 401 }, ProviderUnavailable],
    ['an invalid request', { do: 'refuse', status: 400 }, ProviderUnavailable],
    ['a broken server', { do: 'refuse', status: 500 }, Error],
    ['an overloaded server', { do: 'refuse', status: 503 }, Error],
    ['a rate limit', { do: 'rate_limit', retry_after_seconds: 7 }, ProviderBusy],
  ])('%s fails the sentence, which is not billed, and the next one is spoken', async (_, fault, kind) => {
    const synthesizer = await played({ provider }, [{ ...fault, requests: 1 }]);
    const events: string[] = [];
    const failed = async () => {
      for await (const { type } of synthesizer.speak({ text: TEXT, audio: PCMU }, new AbortController().signal))
        events.push(type);
    };
    const error: unknown = await failed().catch((reason: unknown) => reason);
    expect((error as Error).constructor).toBe(kind);
    const retryAfterMs = provider === 'cartesia' ? 1_000 : 7_000;
    expect(error instanceof ProviderBusy ? error.retryAfterMs : retryAfterMs).toBe(retryAfterMs);
    expect(events).toEqual([]);
    expect((await spoken(synthesizer, { text: 'Next.' })).audio.length).toBeGreaterThan(1_000);
  });

  it.each(['disconnect', 'garbage'])(
    'a server with the fault %s in a sentence fails it, and the next one is spoken',
    async (fault) => {
      const synthesizer = await played({ provider }, [{ do: fault, after: 500, requests: 1 }]);
      const error: unknown = await spoken(synthesizer, { text: TEXT }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(ProviderUnavailable);
      expect((await spoken(synthesizer, { text: 'Next.' })).audio.length).toBeGreaterThan(1_000);
    },
  );

  it('a slow server is waited for', async () => {
    const synthesizer = await played({ provider }, [{ do: 'slow', delay_ms: 150 }]);
    const begin = performance.now();
    await spoken(synthesizer, { text: 'One.' });
    expect(performance.now() - begin).toBeGreaterThan(140);
  });

  it('a server that stalls can be aborted', async () => {
    const synthesizer = await played({ provider }, [{ do: 'stall', after: 250 }]);
    const abort = new AbortController();
    const events = synthesizer.speak({ text: TEXT, audio: PCMU }, abort.signal)[Symbol.asyncIterator]();
    for (let event = await events.next(); event.value?.type !== 'audio'; event = await events.next()) continue;
    const stalled = collect({ [Symbol.asyncIterator]: () => events });
    setImmediate(() => abort.abort());
    expect((await stalled).audio).toHaveLength(0);
  });

  it('a faster speed shortens the sentence', async () => {
    const usual = await spoken(await played({ provider }), { text: TEXT });
    const fast = await spoken(await played({ provider, speed: 1.2 }), { text: TEXT });
    expect(usual.audio.length / fast.audio.length).toBeCloseTo(1.2, 1);
  });

  it('a vendor that is not configured is reported with its variable', async () => {
    await expect(openedSynthesizer({ provider }, {})).rejects.toThrow(
      `The synthesizer ${provider} needs ${provider.toUpperCase()}_API_KEY, or ${provider.toUpperCase()}_URL for another server.`,
    );
  });
});

describe('the speech models of OpenAI', () => {
  it('are billed by the seconds of audio, of a cancelled sentence as well', async () => {
    const synthesizer = await played({ provider: 'openai' });
    const whole = await spoken(synthesizer, { text: TEXT });
    const item = { kind: 'synthesis_seconds', unit: 'second', source: 'openai:gpt-4o-mini-tts' };
    expect(whole.usage).toEqual([{ ...item, quantity: Math.round(durationMs(PCMU, whole.audio)) / 1_000 }]);
    const abort = new AbortController();
    const part: unknown[] = [];
    for await (const event of synthesizer.speak({ text: TEXT, audio: PCMU }, abort.signal)) {
      abort.abort();
      if (event.type === 'usage') part.push(...event.items);
    }
    expect(part).toEqual([{ ...item, quantity: expect.any(Number) }]);
  });
});

describe.each(VENDORS.filter((name) => TIMED.includes(name)))('the words of %s', (provider) => {
  it('have their times in the audio, in order, and are the words of the text', async () => {
    const { words, audio } = await spoken(await played({ provider }), { text: TEXT });
    expect(words.map(({ text }) => text).join(' ')).toBe(TEXT);
    const times = words.flatMap(({ startMs, endMs }) => [startMs, endMs]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(0);
    expect(times.at(-1)).toBeGreaterThan(0.9 * durationMs(PCMU, audio));
    expect(times.at(-1)).toBeLessThanOrEqual(durationMs(PCMU, audio) + 1);
  });
});
