import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type FunctionCall,
  GoogleGenAI,
  type LiveConnectConfig,
  type LiveServerMessage,
  Modality,
  type Session,
} from '@google/genai';
import { decode } from '@app/telephony';
import { resample } from '@app/voice';
import { speech, userSpeech } from '../../test/user-speech.js';
import { SandboxServer } from './sandbox-server.js';
import { readScript } from './script.js';

const SCRIPT = readScript({
  agent: { name: 'Ada', greeting: 'Tea house, hello.' },
  rules: [
    { on: { text: 'weather in (\\w+)' }, call: { tool: 'get_weather', arguments: { city: '{{match.1}}' } } },
    { on: { tool: 'get_weather' }, say: 'The sky over {{result.city}} is {{result.sky}}.' },
    { on: { text: 'story' }, say: 'Once upon a time there was a pot of tea. '.repeat(20) },
    { on: { speech: 1 }, say: 'I heard you.' },
    { on: { speech: 2 }, say: 'I heard you again.' },
  ],
});

const WEATHER = {
  functionDeclarations: [
    {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'OBJECT' as never, properties: { city: { type: 'STRING' as never } }, required: ['city'] },
    },
  ],
};

let servers: SandboxServer[] = [];
let sessions: Session[] = [];

afterEach(async () => {
  sessions.forEach((session) => session.close());
  for (const server of servers) await server.close();
  servers = [];
  sessions = [];
});

async function aServer(script: object = SCRIPT): Promise<SandboxServer> {
  const server = await SandboxServer.start({ speech, script: readScript(script) });
  servers.push(server);
  return server;
}

/** Google's own client in a conversation with our server. */
async function conversation(server: SandboxServer, config: LiveConnectConfig = {}, apiKey = server.key) {
  const messages: LiveServerMessage[] = [];
  const errors: unknown[] = [];
  let closed: { code: number; reason: string } | undefined;
  let waiting: { done: () => boolean; resolve: () => void }[] = [];
  const check = (): void => {
    waiting.filter(({ done }) => done()).forEach(({ resolve }) => resolve());
    waiting = waiting.filter(({ done }) => !done());
  };
  const until = (done: () => boolean): Promise<void> =>
    done() ? Promise.resolve() : new Promise((resolve) => waiting.push({ done, resolve }));
  const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `http://127.0.0.1:${server.port}` } });
  const opening = ai.live.connect({
    model: 'gemini-3.8-live',
    config: { responseModalities: [Modality.AUDIO], outputAudioTranscription: {}, ...config },
    callbacks: {
      onmessage: (message) => {
        messages.push(message);
        check();
      },
      onerror: (error) => errors.push(error),
      onclose: ({ code, reason }) => {
        closed = { code, reason };
        check();
      },
    },
  });
  const refused = until(() => closed !== undefined).then(() => undefined);
  const session = await Promise.race([opening, refused]);
  if (session) sessions.push(session);
  const turns = (count: number): Promise<void> =>
    until(() => messages.filter(({ serverContent }) => serverContent?.turnComplete).length >= count);
  return { session: session!, messages, errors, turns, until, closed: () => closed };
}

const wordsOf = (messages: LiveServerMessage[]): string =>
  messages.map(({ serverContent }) => serverContent?.outputTranscription?.text ?? '').join('');

const audioOf = (messages: LiveServerMessage[]): number =>
  messages.reduce((sum, message) => sum + Buffer.from(message.data ?? '', 'base64').length, 0);

async function speak(session: Session, ms: number): Promise<void> {
  const words = decode('PCMU', await userSpeech(ms));
  const quiet = new Int16Array(8_000);
  const samples = await resample(Int16Array.from([...quiet.subarray(0, 1_600), ...words, ...quiet]), 8_000, 16_000);
  const pcm = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  for (let at = 0; at < pcm.length; at += 640) {
    const data = pcm.subarray(at, at + 640).toString('base64');
    session.sendRealtimeInput({ audio: { data, mimeType: 'audio/pcm;rate=16000' } });
  }
}

describe("Google's own client of the Live protocol", () => {
  it('talks by text and by speech, with audio at 24 kHz, words and usage, without an error', async () => {
    const { session, messages, errors, turns } = await conversation(await aServer());
    session.sendClientContent({ turns: 'Good morning!', turnComplete: true });
    await turns(1);
    expect(wordsOf(messages)).toBe('You wrote: Good morning.');
    expect(audioOf(messages)).toBeGreaterThan(24_000);
    const usage = messages.flatMap(({ usageMetadata }) => (usageMetadata ? [usageMetadata] : []));
    expect(usage).toMatchObject([
      { responseTokensDetails: expect.arrayContaining([{ modality: 'AUDIO', tokenCount: expect.any(Number) }]) },
    ]);
    await speak(session, 1_200);
    await turns(2);
    expect(wordsOf(messages)).toContain('I heard you.');
    expect(errors).toEqual([]);
  });

  it('calls a function, and the model continues with its result', async () => {
    const { session, messages, errors, turns, until } = await conversation(await aServer(), { tools: [WEATHER] });
    session.sendRealtimeInput({ text: 'What is the weather in Oslo?' });
    const calls = (): FunctionCall[] => messages.flatMap(({ toolCall }) => toolCall?.functionCalls ?? []);
    await until(() => calls().length === 1);
    expect(calls()).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }]);
    const [{ id, name }] = calls() as [FunctionCall];
    session.sendToolResponse({ functionResponses: { id, name, response: { output: { city: 'Oslo', sky: 'blue' } } } });
    await turns(1);
    expect(wordsOf(messages)).toBe('The sky over Oslo is blue.');
    expect(errors).toEqual([]);
  });

  it('speech interrupts the model, and a text cancels a call that has no result yet', async () => {
    const { session, messages, errors, turns, until } = await conversation(await aServer(), { tools: [WEATHER] });
    session.sendRealtimeInput({ text: 'Tell me a story.' });
    await until(() => audioOf(messages) > 48_000);
    await speak(session, 1_000);
    await turns(2);
    expect(messages.filter(({ serverContent }) => serverContent?.interrupted)).toHaveLength(1);
    expect(messages.filter(({ serverContent }) => serverContent?.generationComplete)).toHaveLength(1);
    session.sendRealtimeInput({ text: 'What is the weather in Oslo?' });
    await until(() => messages.some(({ toolCall }) => toolCall !== undefined));
    session.sendRealtimeInput({ text: 'Never mind.' });
    await turns(3);
    const id = messages.flatMap(({ toolCall }) => toolCall?.functionCalls ?? [])[0]?.id;
    expect(messages.flatMap(({ toolCallCancellation }) => toolCallCancellation?.ids ?? [])).toEqual([id]);
    expect(errors).toEqual([]);
  });

  it('marks the activity of the caller itself when the detection is off', async () => {
    const { session, messages, errors, turns } = await conversation(await aServer(), {
      realtimeInputConfig: { automaticActivityDetection: { disabled: true } },
    });
    session.sendRealtimeInput({ activityStart: {} });
    await speak(session, 800);
    session.sendRealtimeInput({ activityEnd: {} });
    await turns(1);
    expect(wordsOf(messages)).toBe('I heard you.');
    expect(errors).toEqual([]);
  });

  it('resumes a session over another connection', async () => {
    const server = await aServer();
    const first = await conversation(server, { sessionResumption: {} });
    await speak(first.session, 1_000);
    await first.turns(1);
    const handle = (): string | undefined =>
      first.messages.flatMap(({ sessionResumptionUpdate: update }) => (update?.resumable ? [update.newHandle] : []))[0];
    await first.until(() => handle() !== undefined);
    first.session.close();
    const second = await conversation(server, { sessionResumption: { handle: handle() } });
    await speak(second.session, 1_000);
    await second.turns(1);
    expect(wordsOf(second.messages)).toBe('I heard you again.');
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('is warned before the end of a connection', async () => {
    const server = await aServer({ faults: [{ do: 'expire', after_response: 1 }] });
    const { session, messages, errors, until, closed } = await conversation(server);
    session.sendRealtimeInput({ text: 'Hello.' });
    await until(() => closed() !== undefined);
    expect(messages.find(({ goAway }) => goAway)?.goAway).toEqual({ timeLeft: '3s' });
    expect(closed()).toMatchObject({ code: 1011 });
    expect(errors).toEqual([]);
  });

  it.each([
    ['a wrong key', {}, 'wrong', 1007, 'API key not valid'],
    ['a refusal', { faults: [{ do: 'refuse', status: 503 }] }, undefined, 1011, 'unavailable'],
    ['a rate limit', { faults: [{ do: 'refuse', status: 429 }] }, undefined, 1011, 'exceeded your current quota'],
  ])('%s closes the connection with a reason', async (_, script, key, code, reason) => {
    const { closed } = await conversation(await aServer(script), {}, key);
    expect(closed()).toEqual({ code, reason: expect.stringContaining(reason) });
  });

  it('an object without properties in a function is refused, as by the service', async () => {
    const tools = [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT' as never, properties: {} } }] }];
    const { closed } = await conversation(await aServer(), { tools });
    expect(closed()).toEqual({ code: 1007, reason: expect.stringContaining('should be non-empty') });
  });
});
