import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { text as textOf } from 'node:stream/consumers';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { L16, openedSynthesizer, PCMA, PCMU, settingsAt, spoken } from '../../../../test/spoken-sentences.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { SynthesisRequest } from '../ports.js';

const TEXT = 'Good morning.';
const VOICE = 'JBFqnCBsd6RMkjVDRZzb';

const http = createServer();
beforeAll(async () => {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
});
afterAll(() => void http.close());

/** The request that a choice sends for a sentence. */
async function sent(choice: SynthesizerChoice, sentence: Partial<SynthesisRequest> = {}) {
  const received: { path: string; body: unknown; headers: Record<string, unknown> }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: unknown = JSON.parse(await textOf(request));
    received.push({ path: request.url ?? '', body, headers: request.headers });
    response.end();
  };
  http.removeAllListeners('request').on('request', (request, response) => void receive(request, response));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const synthesizer = await openedSynthesizer(choice, settingsAt(url, 'the-key'));
  await spoken(synthesizer, { text: TEXT, ...sentence });
  synthesizer.close?.();
  return { ...received[0]!, name: synthesizer.name };
}

describe('the requests to ElevenLabs', () => {
  const path = (voice: string, format: string): string =>
    `/v1/text-to-speech/${voice}/stream/with-timestamps?output_format=${format}`;

  it.each([
    [PCMU, 'ulaw_8000'],
    [PCMA, 'alaw_8000'],
    [L16, 'pcm_16000'],
  ])('name the format of $codec', async (audio, format) => {
    const request = await sent({ provider: 'elevenlabs' }, { audio });
    expect(request).toMatchObject({ path: path(VOICE, format), headers: { 'xi-api-key': 'the-key' } });
    expect(request).toMatchObject({
      body: { text: TEXT, model_id: 'eleven_flash_v2_5' },
      name: 'elevenlabs:eleven_flash_v2_5',
    });
  });

  it('have the language and the sentence before where the model takes them', async () => {
    const sentence = { language: 'de-DE', previousText: 'Hello.' };
    const bodyOf = async (model?: string) => (await sent({ provider: 'elevenlabs', model }, sentence)).body;
    const [language_code, previous_text] = ['de', 'Hello.'];
    expect(await bodyOf()).toEqual({ text: TEXT, model_id: 'eleven_flash_v2_5', language_code, previous_text });
    const [multilingual, newest] = ['eleven_multilingual_v2', 'eleven_v3'];
    expect(await bodyOf(multilingual)).toEqual({ text: TEXT, model_id: multilingual, previous_text });
    expect(await bodyOf(newest)).toEqual({ text: TEXT, model_id: newest, language_code });
  });

  it.each([
    [0.5, 0.7],
    [1.1, 1.1],
    [2, 1.2],
  ])('the speed %d is sent as %d, within the range of the vendor', async (speed, expected) => {
    const { body } = await sent({ provider: 'elevenlabs', speed });
    expect(body).toMatchObject({ voice_settings: { speed: expected } });
  });

  it('a voice cannot change the path', async () => {
    const request = await sent({ provider: 'elevenlabs', voice: '../x?y' });
    expect(request.path).toBe(path('..%2Fx%3Fy', 'ulaw_8000'));
  });
});

describe('the requests to Deepgram', () => {
  it.each([
    [{}, { audio: PCMU }, 'model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000&container=none', 'aura-2'],
    [
      {},
      { audio: PCMA, language: 'de-AT' },
      'model=aura-2-viktoria-de&encoding=alaw&sample_rate=8000&container=none',
      'aura-2',
    ],
    [
      {},
      { audio: L16, language: 'pl' },
      'model=aura-2-thalia-en&encoding=linear16&sample_rate=16000&container=none',
      'aura-2',
    ],
    [
      { voice: 'helena', speed: 2 },
      {},
      'model=aura-2-helena-en&encoding=mulaw&sample_rate=8000&container=none&speed=1.5',
      'aura-2-helena-en',
    ],
    [
      { model: 'aura', voice: 'luna' },
      {},
      'model=aura-luna-en&encoding=mulaw&sample_rate=8000&container=none',
      'aura-luna-en',
    ],
    [
      { voice: 'aura-2-lara-de' },
      {},
      'model=aura-2-lara-de&encoding=mulaw&sample_rate=8000&container=none',
      'aura-2-lara-de',
    ],
    [
      { model: 'aura-2-odysseus-en' },
      {},
      'model=aura-2-odysseus-en&encoding=mulaw&sample_rate=8000&container=none',
      'aura-2-odysseus-en',
    ],
  ])('%j %j: %s', async (choice, sentence, query, model) => {
    const request = await sent({ provider: 'deepgram', ...choice }, sentence);
    expect(request).toMatchObject({ path: `/v1/speak?${query}`, body: { text: TEXT }, name: `deepgram:${model}` });
    expect(request.headers.authorization).toBe('Token the-key');
  });
});

describe('the requests to OpenAI', () => {
  it('name voice, speed and instructions where the model takes them', async () => {
    const choice = { provider: 'openai', voice: 'ash', speed: 1.5, instructions: 'Speak calmly.' } as const;
    const body = { input: TEXT, voice: 'ash', response_format: 'pcm', speed: 1.5 };
    const request = await sent(choice);
    expect(request.path).toBe('/v1/audio/speech');
    expect(request.headers.authorization).toBe('Bearer the-key');
    expect(request.body).toEqual({ ...body, model: 'gpt-4o-mini-tts', instructions: 'Speak calmly.' });
    expect((await sent({ ...choice, model: 'tts-1-hd' })).body).toEqual({ ...body, model: 'tts-1-hd' });
  });
});
