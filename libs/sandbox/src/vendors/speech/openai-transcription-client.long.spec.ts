import { afterEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { OpenAI } from 'openai';
import type { RealtimeServerEvent, RealtimeTranscriptionSessionAudioInput } from 'openai/resources/realtime/realtime';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { decode } from '@app/telephony';
import { resample } from '@app/voice';
import { Collected } from '../../../test/collected.js';
import { speech, userSpeech } from '../../../test/user-speech.js';
import { SandboxServer } from '../../server/sandbox-server.js';
import { readScript } from '../../server/script.js';

let servers: SandboxServer[] = [];
let clients: OpenAIRealtimeWS[] = [];

afterEach(async () => {
  clients.forEach((client) => client.close());
  for (const server of servers) await server.close();
  servers = [];
  clients = [];
});

async function aServer(legs: object): Promise<SandboxServer> {
  const server = await SandboxServer.start({ speech, script: readScript({ legs }) });
  servers.push(server);
  return server;
}

/** OpenAI's own client in a transcription session on our server. */
async function transcribing(server: SandboxServer, input: RealtimeTranscriptionSessionAudioInput, apiKey = server.key) {
  const openai = new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${server.port}/v1` });
  // The client insists on TLS, which the sandbox server has not.
  const createConnection = () => connect(server.port, '127.0.0.1');
  const client = new OpenAIRealtimeWS({ intent: 'transcription', options: { createConnection } }, openai);
  clients.push(client);
  const received = new Collected<RealtimeServerEvent | { type: 'failed'; error: Error }>();
  client.on('event', (event) => received.push(event));
  client.on('error', (error) => received.push({ type: 'failed', error }));
  const of = <T extends RealtimeServerEvent['type']>(type: T) =>
    received.all.filter((event): event is Extract<RealtimeServerEvent, { type: T }> => event.type === type);
  const errors = () => received.all.flatMap((event) => (event.type === 'failed' ? [event.error] : []));
  const until = (done: () => boolean) => received.until(done);
  client.socket.on('open', () =>
    client.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } }),
  );
  await until(() => of('session.updated').length > 0 || errors().length > 0);
  return { client, of, errors, until };
}

async function spoken(ms: number): Promise<Buffer> {
  return Buffer.concat([Buffer.alloc(3_200, 0xff), await userSpeech(ms), Buffer.alloc(12_000, 0xff)]);
}

function append(client: OpenAIRealtimeWS, audio: Buffer, pieceBytes: number): void {
  for (let at = 0; at < audio.length; at += pieceBytes)
    client.send({
      type: 'input_audio_buffer.append',
      audio: audio.subarray(at, at + pieceBytes).toString('base64'),
    });
}

const DELTA = 'conversation.item.input_audio_transcription.delta';
const COMPLETED = 'conversation.item.input_audio_transcription.completed';

describe("OpenAI's own client of Realtime transcription", () => {
  it('the server cuts the speech, and its words arrive with tokens as usage', async () => {
    const server = await aServer({ hears: ['Two pots of tea.'] });
    const { client, of, errors, until } = await transcribing(server, {
      format: { type: 'audio/pcmu' },
      transcription: { model: 'gpt-4o-transcribe', language: 'en' },
      turn_detection: { type: 'server_vad', silence_duration_ms: 300, prefix_padding_ms: 300 },
    });
    expect(of('session.created')).toHaveLength(1);
    expect(of('session.updated')[0]!.session).toMatchObject({ type: 'transcription', expires_at: expect.any(Number) });
    append(client, await spoken(1_500), 800);
    await until(() => of(COMPLETED).length > 0);
    const [completed] = of(COMPLETED);
    expect(completed).toMatchObject({ transcript: 'Two pots of tea.', usage: { type: 'tokens' } });
    const deltas = of(DELTA).map(({ delta }) => delta);
    expect(deltas).toEqual(['Two', ' pots', ' of', ' tea.']);
    const [started] = of('input_audio_buffer.speech_started');
    const [stopped] = of('input_audio_buffer.speech_stopped');
    expect(started!.item_id).toBe(completed!.item_id);
    expect(stopped!.audio_end_ms - started!.audio_start_ms).toBeGreaterThan(1_500);
    expect(of('input_audio_buffer.committed')[0]!.item_id).toBe(completed!.item_id);
    expect(of('conversation.item.added')[0]!.item.id).toBe(completed!.item_id);
    expect(errors()).toEqual([]);
  });

  it('a live model sends words during the speech, and the end after a commit, with seconds as usage', async () => {
    const { client, of, errors, until } = await transcribing(await aServer({ hears: ['Two pots of tea.'] }), {
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: { model: 'gpt-live-transcribe', keywords: ['tea'], languages: ['en', 'de'] },
      turn_detection: null,
    });
    const wide = await resample(decode('PCMU', await spoken(1_500)), 8_000, 24_000);
    append(client, Buffer.from(wide.buffer, wide.byteOffset, wide.byteLength), 4_800);
    await until(() => of(DELTA).length > 3);
    expect(of(COMPLETED)).toEqual([]);
    client.send({ type: 'input_audio_buffer.commit' });
    await until(() => of(COMPLETED).length > 0);
    expect(of(COMPLETED)[0]).toMatchObject({
      transcript: 'Two pots of tea.',
      usage: { type: 'duration', seconds: 3.4 },
    });
    expect(of(DELTA).every(({ item_id }) => item_id === of(COMPLETED)[0]!.item_id)).toBe(true);
    expect(of('input_audio_buffer.speech_started')).toEqual([]);
    client.send({ type: 'input_audio_buffer.clear' });
    await until(() => of('input_audio_buffer.cleared').length > 0);
    expect(errors()).toEqual([]);
  });

  it.each([
    ['turn detection of a live model', {}, { type: 'server_vad' as const }, 'Turn detection is not supported'],
    ['a refused key', { transcriber: [{ do: 'refuse', status: 401 }] }, null, 'Incorrect API key'],
    ['a limit', { transcriber: [{ do: 'rate_limit', retry_after_seconds: 9 }] }, null, 'try again in 9s'],
    ['a failure', { transcriber: [{ do: 'refuse', status: 500 }] }, null, 'The server had an error'],
  ])('%s is an error event', async (_, legs, detection, message) => {
    const { errors } = await transcribing(await aServer(legs), {
      format: { type: 'audio/pcmu' },
      transcription: { model: 'gpt-live-transcribe' },
      turn_detection: detection,
    });
    expect(errors()[0]!.message).toContain(message);
  });

  it('a wrong key refuses the handshake, and an empty commit is refused', async () => {
    const server = await aServer({});
    const session = { format: { type: 'audio/pcmu' as const }, transcription: { model: 'gpt-live-transcribe' } };
    const refused = await transcribing(server, session, 'wrong');
    expect(refused.errors()[0]!.message).toContain('401');
    const { client, errors, until } = await transcribing(server, { ...session, turn_detection: null });
    client.send({ type: 'input_audio_buffer.commit' });
    await until(() => errors().length > 0);
    expect(errors()[0]!.message).toContain('buffer too small');
  });
});
