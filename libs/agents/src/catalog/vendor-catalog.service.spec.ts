import { afterEach, describe, expect, it } from '@jest/globals';
import { type Env, NotFound, Unavailable } from '@app/common';
import { Egress } from '@app/egress';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VendorCatalogService } from './vendor-catalog.service.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Vendor {
  url: string;
  /** `GET path key`, in their order. */
  asked: string[];
}

/** A vendor that answers each path with JSON, bytes of audio, or a status. */
async function vendor(answers: Record<string, object | Buffer | number>): Promise<Vendor> {
  const asked: string[] = [];
  const server: Server = createServer(({ url = '', headers }, response) => {
    const key = headers.authorization ?? headers['xi-api-key'] ?? headers['x-goog-api-key'] ?? headers['x-api-key'];
    asked.push(`${url} ${String(key)}`);
    const answer = answers[url] ?? 404;
    if (typeof answer === 'number') {
      response.writeHead(answer).end('{}');
      return;
    }
    const isAudio = Buffer.isBuffer(answer);
    response.setHeader('content-type', isAudio ? 'audio/mpeg' : 'application/json');
    response.end(isAudio ? answer : JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function catalogs(env: Partial<Env>): VendorCatalogService {
  const egress = new Egress({ allowCidrs: [], httpsOnly: false });
  const service = new VendorCatalogService(env as Env, egress);
  closing.push(
    () => service.onApplicationShutdown(),
    () => egress.close(),
  );
  return service;
}

const never = (): AbortSignal => new AbortController().signal;

describe('the lists of vendors, in their published formats', () => {
  it('has the voices of ElevenLabs with their samples, and the models that speak', async () => {
    const sample = Buffer.from('ID3 sample');
    const answers: Parameters<typeof vendor>[0] = { '/george.mp3': sample };
    const { url, asked } = await vendor(answers);
    answers['/v1/voices'] = {
      voices: [
        {
          ...{ voice_id: 'JBFq', name: 'George', category: 'premade', preview_url: `${url}/george.mp3` },
          labels: { accent: 'british', gender: 'male', age: 'middle_aged', language: 'en' },
        },
        { voice_id: 'abc', name: 'Own', labels: {}, preview_url: null },
      ],
    };
    answers['/v1/models'] = [
      { model_id: 'eleven_flash_v2_5', name: 'Eleven Flash v2.5', can_do_text_to_speech: true },
      { model_id: 'eleven_english_sts_v2', name: 'STS', can_do_text_to_speech: false },
    ];
    const service = catalogs({ ELEVENLABS_URL: url, ELEVENLABS_API_KEY: 'k' });
    expect(await service.find('elevenlabs')).toEqual({
      ...{ status: 'listed', message: null },
      models: [{ id: 'eleven_flash_v2_5', name: 'Eleven Flash v2.5', uses: ['synthesizer'] }],
      voices: [
        {
          ...{ id: 'JBFq', name: 'George', description: 'male, middle_aged, british', languages: ['en'] },
          sample: `${url}/george.mp3`,
        },
        { id: 'abc', name: 'Own', description: '', languages: [] },
      ],
    });
    expect(await service.sample('elevenlabs', 'JBFq', never())).toEqual({ type: 'audio/mpeg', audio: sample });
    // The key is for the lists alone, which are kept.
    expect(asked.toSorted()).toEqual(['/george.mp3 undefined', '/v1/models k', '/v1/voices k']);
    await expect(service.sample('elevenlabs', 'abc', never())).rejects.toThrow(NotFound);
  });

  it('has the voices of Deepgram, and each of its streaming transcribers once', async () => {
    const { url } = await vendor({
      '/v1/models': {
        stt: [
          { name: 'general', canonical_name: 'nova-3', languages: ['en'], streaming: true },
          { name: 'general', canonical_name: 'nova-3', languages: ['de'], streaming: true },
          { name: 'whisper', canonical_name: 'whisper', streaming: false },
        ],
        tts: [
          {
            ...{ name: 'thalia', canonical_name: 'aura-2-thalia-en', languages: ['en', 'en-US'] },
            metadata: { accent: 'American', tags: ['feminine'], sample: 'https://static.deepgram.com/thalia.wav' },
          },
        ],
      },
    });
    const service = catalogs({ DEEPGRAM_URL: url, DEEPGRAM_API_KEY: 'k' });
    expect(await service.find('deepgram')).toMatchObject({
      models: [{ id: 'nova-3', uses: ['transcriber'] }],
      voices: [
        { id: 'aura-2-thalia-en', name: 'thalia', description: 'American, feminine', languages: ['en', 'en-US'] },
      ],
    });
  });

  it('follows the pages of Cartesia', async () => {
    const path = '/voices?limit=100&expand%5B%5D=preview_file_url';
    const voice = (id: string) => ({ id, name: id.toUpperCase(), description: 'Calm', language: 'en' });
    const { url } = await vendor({
      [path]: { data: [voice('a')], has_more: true },
      [`${path}&starting_after=a`]: { data: [voice('b')], has_more: false },
    });
    const { voices } = await catalogs({ CARTESIA_URL: url, CARTESIA_API_KEY: 'k' }).find('cartesia');
    expect(voices.map(({ id, name, description }) => [id, name, description])).toEqual([
      ['a', 'A', 'Calm'],
      ['b', 'B', 'Calm'],
    ]);
  });

  const ids = ['gpt-5.1-mini', 'gpt-realtime-2.1', 'gpt-4o-transcribe', 'gpt-4o-mini-tts', 'text-embedding-3-small'];
  it.each([
    ['openai', ['gpt-4o-mini-tts synthesizer', 'gpt-4o-transcribe transcriber', 'gpt-5.1-mini model']],
    ['openai-realtime', ['gpt-realtime-2.1 conversation']],
  ] as const)('sorts the models of %s by their use', async (name, models) => {
    const { url } = await vendor({
      '/v1/models': { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) },
    });
    const realtime = `${url.replace('http', 'ws')}/v1/realtime`;
    const service = catalogs({ OPENAI_URL: `${url}/v1`, OPENAI_API_KEY: 'k', REALTIME_URL: realtime });
    const found = await service.find(name);
    expect(found.models.map(({ id, uses }) => `${id} ${uses.join()}`)).toEqual(models);
    expect(found.voices.map(({ id }) => id)).toContain('marin');
  });

  it.each([
    ['gemini-live', ['gemini-3.8-live']],
    ['google', ['gemini-3-flash']],
  ] as const)('has the models of %s by their methods', async (name, models) => {
    const list = {
      models: [
        { name: 'models/gemini-3.8-live', supportedGenerationMethods: ['bidiGenerateContent'] },
        { name: 'models/gemini-3-flash', displayName: 'Flash', supportedGenerationMethods: ['generateContent'] },
      ],
    };
    const { url } = await vendor({ '/v1beta/models?pageSize=1000': list });
    const env = { GEMINI_BASE_URL: url.replace('http', 'ws'), GEMINI_API_KEY: 'k', GOOGLE_URL: `${url}/v1beta` };
    expect((await catalogs(env).find(name)).models.map(({ id }) => id)).toEqual(models);
  });
});

describe('a vendor without a list', () => {
  it.each([
    ['elevenlabs', 'not_configured', 'ELEVENLABS_API_KEY is not set'],
    ['openai-realtime', 'not_configured', 'OPENAI_API_KEY is not set'],
    ['assemblyai', 'not_listed', 'publishes no list'],
    ['program', 'not_listed', 'publishes no list'],
  ] as const)('%s is %s, and takes any name', async (name, status, message) => {
    expect(await catalogs({}).find(name)).toEqual({
      ...{ status, models: [], voices: [] },
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['refuses the key', 401, 'The vendor refuses the key for its list (401).'],
    ['fails', 500, 'The vendor answered with status 500.'],
  ])('that %s says so', async (_what, status, message) => {
    const { url } = await vendor({ '/models?limit=1000': status });
    const found = await catalogs({ ANTHROPIC_URL: url, ANTHROPIC_API_KEY: 'k' }).find('anthropic');
    expect(found).toMatchObject({ status: 'unavailable', message });
  });

  it('shows what a key may read, when it may not read the other list', async () => {
    const { url } = await vendor({ '/v1/voices': { voices: [{ voice_id: 'a', name: 'A' }] }, '/v1/models': 401 });
    const found = await catalogs({ ELEVENLABS_URL: url, ELEVENLABS_API_KEY: 'k' }).find('elevenlabs');
    expect(found).toMatchObject({ status: 'listed', voices: [{ id: 'a' }], message: expect.stringContaining('401') });
  });
});

describe('a sample', () => {
  it('at another host is fetched as an address from users: not from a private network', async () => {
    const elsewhere = await vendor({ '/a.mp3': Buffer.from('secret') });
    const { url } = await vendor({
      '/v1/voices': { voices: [{ voice_id: 'a', name: 'A', preview_url: `${elsewhere.url}/a.mp3` }] },
      '/v1/models': [],
    });
    const service = catalogs({ ELEVENLABS_URL: url, ELEVENLABS_API_KEY: 'k' });
    await expect(service.sample('elevenlabs', 'a', never())).rejects.toThrow(Unavailable);
    expect(elsewhere.asked).toEqual([]);
  });

  it('that is no audio is not passed on', async () => {
    const answers: Parameters<typeof vendor>[0] = { '/a.mp3': { html: true }, '/v1/models': [] };
    const { url } = await vendor(answers);
    answers['/v1/voices'] = { voices: [{ voice_id: 'a', name: 'A', preview_url: `${url}/a.mp3` }] };
    const service = catalogs({ ELEVENLABS_URL: url, ELEVENLABS_API_KEY: 'k' });
    await expect(service.sample('elevenlabs', 'a', never())).rejects.toThrow(Unavailable);
  });

  it('of the built-in voice is spoken here', async () => {
    const service = catalogs({});
    const { voices } = await service.find('sandbox');
    const { type, audio } = await service.sample('sandbox', voices[0]!.id, never());
    expect([type, audio.toString('latin1', 0, 4), audio.length > 20_000]).toEqual(['audio/wav', 'RIFF', true]);
  });
});
