import { afterEach, describe, expect, it } from '@jest/globals';
import {
  OpenAIRealtimeWebSocket,
  RealtimeAgent,
  RealtimeSession,
  tool,
  type RealtimeItem,
  type RealtimeSessionConfig,
} from '@openai/agents-realtime';
import { userSpeech, speech } from '../../test/user-speech.js';
import { SandboxServer } from './sandbox-server.js';
import { readScript } from './script.js';

/** The event types of the client; it passes other events on as messages of an unknown type. */
const KNOWN = [
  ...['session.created', 'session.updated', 'rate_limits.updated'],
  ...['conversation.item.added', 'conversation.item.done', 'conversation.item.retrieved', 'conversation.item.deleted'],
  ...['conversation.item.truncated', 'conversation.item.input_audio_transcription.failed'],
  ...['input_audio_buffer.speech_started', 'input_audio_buffer.speech_stopped'],
  ...['input_audio_buffer.committed', 'input_audio_buffer.cleared'],
  ...['response.created', 'response.done', 'response.output_item.added', 'response.output_item.done'],
  ...['response.content_part.added', 'response.content_part.done'],
  ...['response.output_audio.delta', 'response.output_audio.done'],
  ...['response.output_audio_transcript.delta', 'response.output_audio_transcript.done'],
  ...['response.output_text.delta', 'response.output_text.done'],
  ...['response.function_call_arguments.delta', 'response.function_call_arguments.done'],
] as const;

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
  execute: async (input) => ({ sky: 'blue', city: (input as { city: string }).city }),
});

const SCRIPT = readScript({
  agent: { name: 'Ada', greeting: 'Tea house, hello.' },
  rules: [
    { on: { text: 'weather in (\\w+)' }, call: { tool: 'get_weather', arguments: { city: '{{match.1}}' } } },
    { on: { tool: 'get_weather' }, say: 'The sky over {{result.city}} is {{result.sky}}.' },
    { on: { speech: 1 }, say: 'I heard you. '.repeat(20) },
  ],
});

let close: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const one of close.splice(0)) await one();
  close = [];
});

/** The official client in a conversation with our server. */
async function conversation(config: Partial<RealtimeSessionConfig>) {
  const server = await SandboxServer.start({ speech, script: SCRIPT });
  const transport = new OpenAIRealtimeWebSocket({ url: `${server.url}?model=gpt-realtime` });
  const agent = new RealtimeAgent({ name: 'Ada', instructions: 'Be brief.', tools: [weather] });
  const session = new RealtimeSession(agent, { transport, config, tracingDisabled: true });
  close.push(async () => {
    session.close();
    await server.close();
  });
  const seen: string[] = [];
  const understood: string[] = [];
  const errors: unknown[] = [];
  session.on('error', (error) => errors.push(error));
  transport.on('error', (error) => errors.push(error));
  for (const type of KNOWN) transport.on(type as 'session.created', () => understood.push(type));
  const waiting: { type: string; count: number; resolve: () => void }[] = [];
  transport.on('*', ({ type }: { type: string }) => {
    seen.push(type);
    for (const { count, resolve } of waiting.filter((one) => one.type === type)) {
      if (seen.filter((one) => one === type).length >= count) resolve();
    }
  });
  await session.connect({ apiKey: server.key });
  const times = (type: string, count: number): Promise<void> => {
    if (seen.filter((one) => one === type).length >= count) return Promise.resolve();
    return new Promise((resolve) => waiting.push({ type, count, resolve }));
  };
  return { session, transport, seen, understood, errors, times };
}

/** Events that the client could not parse. */
const unread = (seen: string[], understood: string[]): string[] =>
  [...new Set(seen)].filter((type) => count(seen, type) !== count(understood, type));

const count = (list: string[], wanted: string): number => list.filter((one) => one === wanted).length;

const wordsOf = (history: RealtimeItem[], role: string): string[] =>
  history.flatMap((item) =>
    item.type === 'message' && item.role === role
      ? item.content.map((part) => ('text' in part ? part.text : (part.transcript ?? '')))
      : [],
  );

const sendSpeech = (session: RealtimeSession, audio: Buffer): void => {
  const silence = Buffer.alloc(160 * 40, 0xff);
  const frames = Buffer.concat([Buffer.alloc(160 * 10, 0xff), audio, silence]);
  for (let at = 0; at < frames.length; at += 160) {
    const { buffer, byteOffset } = frames.subarray(at, at + 160);
    session.sendAudio(buffer.slice(byteOffset, byteOffset + 160));
  }
};

const PCMU = { type: 'audio/pcmu' } as const;

describe('the official client of the Realtime protocol', () => {
  it('talks, calls a tool and interrupts over G.711 without a protocol error', async () => {
    const { session, transport, seen, understood, errors, times } = await conversation({
      audio: { input: { format: PCMU, turnDetection: { type: 'server_vad' } }, output: { format: PCMU } },
    });
    let audioBytes = 0;
    let interruptions = 0;
    session.on('audio', ({ data }) => (audioBytes += data.byteLength));
    session.on('audio_interrupted', () => interruptions++);

    transport.requestResponse();
    await times('response.done', 1);
    session.sendMessage('What is the weather in Oslo?');
    await times('response.done', 3);
    const spokenBytes = audioBytes;
    sendSpeech(session, await userSpeech(1_500));
    await times('response.output_audio.delta', 10);
    sendSpeech(session, await userSpeech(600));
    await times('conversation.item.retrieved', 1);
    await times('response.done', 5);

    expect(wordsOf(session.history, 'assistant').slice(0, 2)).toEqual([
      'Tea house, hello.',
      'The sky over Oslo is blue.',
    ]);
    expect(spokenBytes).toBeGreaterThan(2 * 8_000);
    expect(interruptions).toBeGreaterThan(0);
    expect(seen).toContain('conversation.item.truncated');
    expect(unread(seen, understood)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('receives PCM audio at 24 kHz', async () => {
    const { session, transport, seen, understood, errors, times } = await conversation({});
    let bytes = 0;
    session.on('audio', ({ data }) => (bytes += data.byteLength));
    transport.requestResponse();
    await times('response.done', 1);
    expect(bytes).toBeGreaterThan(48_000);
    expect(unread(seen, understood)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('holds a conversation in text', async () => {
    const { session, transport, seen, understood, errors, times } = await conversation({
      outputModalities: ['text'],
    });
    let text = '';
    transport.on('output_text_delta', ({ delta }: { delta: string }) => (text += delta));
    session.sendMessage('Good morning!');
    await times('response.done', 1);
    expect(text).toBe('You wrote: Good morning.');
    expect(wordsOf(session.history, 'assistant')).toEqual([text]);
    expect(seen).not.toContain('response.output_audio.delta');
    expect(unread(seen, understood)).toEqual([]);
    expect(errors).toEqual([]);
  });
});
