import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { complete, GeminiBench, generated, heardWords, interrupted, sound, words } from '../../../test/gemini-call.js';
import { SILENT_FRAME } from '../../../test/stepped-line.js';
import { userSpeech } from '../../../test/test-call.js';
import { peakOf } from '../../speech/voice.js';
import { YOUR_TURN } from '../realtime-wording.js';
import type { ProviderEvent, VoiceConnection } from '../voice-provider.js';

let bench: GeminiBench;

beforeEach(async () => {
  bench = await GeminiBench.start();
});
afterEach(() => bench.server.stop());

const SAY = (text: string): string => `Say exactly the following words and nothing else: ${JSON.stringify(text)}`;
const typesOf = (events: ProviderEvent[]) => events.map(({ type }) => type);
const audioMs = (events: ProviderEvent[]): number =>
  events.reduce((sum, event) => sum + (event.type === 'audio' ? event.audio.length / 8 : 0), 0);

function hear(connection: VoiceConnection, audio: Buffer): void {
  for (let at = 0; at + 160 <= audio.length; at += 160) connection.sendAudio(audio.subarray(at, at + 160));
}
const silence = (ms: number): Buffer => Buffer.concat(Array.from({ length: ms / 20 }, () => SILENT_FRAME));

describe('an answer', () => {
  it('is a response with its words and its audio in the codec of the call, and ends when it is generated', async () => {
    const { connection, events, settled } = await bench.connected();
    connection.createResponse({ say: 'Hello, tea house.' });
    bench.server.last.send(sound(200), words('Hello, '), words('tea house.'), sound(300), generated);
    await settled();
    expect(bench.sent).toEqual([{ realtimeInput: { text: SAY('Hello, tea house.') } }]);
    expect(typesOf(events)).toEqual([
      'response_started',
      'audio',
      'agent_text',
      'agent_text',
      'audio',
      'response_done',
    ]);
    expect(audioMs(events)).toBe(500);
    expect(events.at(-1)).toMatchObject({ status: 'completed' });
    bench.server.last.send(complete);
    await settled();
    expect(events).toHaveLength(6);
  });

  it('that the model does not give ends nevertheless', async () => {
    const { connection, events, settled } = await bench.connected();
    connection.createResponse({});
    bench.server.last.send({ serverContent: { turnComplete: true, turnCompleteReason: 'RESPONSE_REJECTED' } });
    await settled();
    expect(bench.sent).toEqual([{ realtimeInput: { text: YOUR_TURN } }]);
    expect(typesOf(events)).toEqual(['error', 'response_started', 'response_done']);
    expect(events.at(-1)).toMatchObject({ status: 'failed' });
  });

  it('is requested after the time that the previous one plays, or after its late end', async () => {
    const { connection, events, settled } = await bench.connected();
    bench.server.last.send(sound(2_000), generated);
    await settled();
    connection.sendDigits('12');
    connection.createResponse({});
    await settled();
    expect(bench.sent).toEqual([]);
    bench.clock.advance(3_100);
    await settled();
    expect(bench.sent).toEqual([{ realtimeInput: { text: '[The caller pressed the keys 12]' } }]);
    // The late end of the first turn is not the empty answer of the second.
    bench.server.last.send(complete, sound(100), generated, complete);
    await settled();
    expect(typesOf(events).filter((type) => type === 'response_done')).toHaveLength(2);
    expect(audioMs(events)).toBe(2_100);
  });

  it('to speech of the user comes first: a request at that time is refused and repeated by the session', async () => {
    const { connection, events, settled } = await bench.connected();
    bench.server.last.send(sound(200));
    await settled();
    connection.createResponse({ say: 'Still there?' });
    expect(typesOf(events)).toEqual(['response_started', 'audio', 'response_refused']);
  });

  it('that stalls for 20 s ends the connection', async () => {
    const { connection, events } = await bench.connected();
    connection.createResponse({});
    bench.clock.advance(20_000);
    expect(events).toEqual([{ type: 'closed', reason: 'The response of the server stalled.' }]);
  });

  it('longer than five minutes is cut, and the connection continues', async () => {
    const { events, settled } = await bench.connected();
    for (let minute = 0; minute < 6; minute++) for (let i = 0; i < 3; i++) bench.server.last.send(sound(20_000));
    await settled();
    expect(events).toContainEqual(expect.objectContaining({ type: 'error', code: 'response_too_long' }));
    expect(audioMs(events)).toBeLessThanOrEqual(300_000);
    expect(events.at(-1)).toMatchObject({ type: 'response_done', status: 'cancelled' });
  });
});

describe('an interruption', () => {
  it('by the session drops the rest, tells the service by the held speech, and the model learns what was heard', async () => {
    const { connection, events, settled } = await bench.connected();
    bench.server.last.send(sound(2_000), words('One two three four five six seven eight.'));
    await settled();
    hear(connection, Buffer.concat([silence(200), await userSpeech(600)]));
    await settled();
    expect(peakOf(bench.heard)).toBe(0);
    const { itemId } = events.find((event) => event.type === 'audio')!;
    connection.cancelResponse();
    connection.truncate(itemId, 1_000);
    await settled();
    expect(peakOf(bench.heard)).toBeGreaterThan(1_000);
    bench.server.last.send(sound(500), interrupted, complete);
    await settled();
    expect(audioMs(events)).toBe(2_000);
    expect(events.filter(({ type }) => type === 'response_done')).toMatchObject([{ status: 'cancelled' }]);
    expect(events.filter(({ type }) => type === 'interrupted')).toEqual([]);
    connection.sendDigits('5');
    connection.createResponse({});
    await settled();
    const [{ realtimeInput } = {}] = bench.sent;
    expect(realtimeInput?.text).toContain('heard only: \\"One two three four'.replaceAll('\\', ''));
    expect(realtimeInput?.text).not.toContain('eight');
    expect(realtimeInput?.text).toContain('[The caller pressed the keys 5]');
  });

  it('by the service is reported to the session', async () => {
    const { events, settled } = await bench.connected();
    bench.server.last.send(sound(2_000), interrupted, complete, sound(100), generated, complete);
    await settled();
    expect(typesOf(events)).toEqual([
      ...['response_started', 'audio', 'interrupted', 'response_done'],
      ...['response_started', 'audio', 'response_done'],
    ]);
  });

  it('that is none leaves the answer alone: the service hears the speech after it, and none of it is lost', async () => {
    const { connection, settled } = await bench.connected();
    const spoken = await userSpeech(800);
    bench.server.last.send(sound(1_000), generated);
    await settled();
    hear(connection, Buffer.concat([spoken, silence(1_000)]));
    await settled();
    const before = bench.heard;
    expect(peakOf(before)).toBe(0);
    bench.server.last.send(complete);
    await settled();
    const after = bench.heard.subarray(before.length);
    expect(peakOf(after)).toBeGreaterThan(1_000);
    expect(after.length / 16).toBeGreaterThanOrEqual(1_400);
  });
});

describe("the user's speech", () => {
  it('has its position in the audio, and its words when the model has understood them', async () => {
    const { connection, events, settled } = await bench.connected();
    hear(connection, Buffer.concat([silence(1_000), await userSpeech(1_200), silence(1_200)]));
    const [started, stopped] = events;
    expect(started).toMatchObject({ type: 'speech_started', itemId: 'heard-1' });
    expect(Math.abs((started as { audioMs: number }).audioMs - 1_000)).toBeLessThan(150);
    expect(Math.abs((stopped as { audioMs: number }).audioMs - 2_200)).toBeLessThan(350);
    bench.server.last.send(heardWords(' Two'), heardWords(' teas.'), sound(100), generated, complete);
    await settled();
    expect(events.filter(({ type }) => type === 'user_text')).toEqual([
      { type: 'user_text', itemId: 'heard-1', text: 'Two teas.' },
    ]);
  });

  it('that was too soft for the local detection is a turn of the user by its words', async () => {
    const { connection, events, settled } = await bench.connected();
    hear(connection, silence(3_000));
    bench.server.last.send(heardWords('Yes.'), sound(100), generated, complete);
    await settled();
    expect(typesOf(events).filter((type) => type.startsWith('speech') || type === 'user_text')).toEqual([
      'speech_started',
      'speech_stopped',
      'user_text',
    ]);
  });
});

describe('tools', () => {
  const call = (id: string, args: object = {}) => ({ id, name: 'order', args });

  it('end the turn of the user that they answer, so that a new connection does not hear it again', async () => {
    const { connection, events, settled } = await bench.connected();
    hear(connection, Buffer.concat([silence(200), await userSpeech(1_000), silence(600)]));
    bench.server.last.send(heardWords('Two teas.'), { toolCall: { functionCalls: [call('t1')] } });
    await settled();
    expect(typesOf(events)).toEqual([
      ...['speech_started', 'user_interim', 'speech_stopped', 'user_text'],
      ...['response_started', 'tool_call', 'response_done'],
    ]);
  });

  it('are called in a response of their own, and answered together', async () => {
    const { connection, events, settled } = await bench.connected();
    bench.server.last.send({ toolCall: { functionCalls: [call('t1', { cups: 2 }), call('t2')] } });
    await settled();
    expect(typesOf(events)).toEqual(['response_started', 'tool_call', 'tool_call', 'response_done']);
    expect(events[1]).toMatchObject({ toolCallId: 't1', name: 'order', arguments: '{"cups":2}' });
    connection.sendToolResult('t1', '{"ok":true}');
    connection.sendToolResult('t2', '{"error":{"code":"no_stock"}}');
    connection.createResponse({});
    bench.server.last.send(sound(100), generated, complete);
    await settled();
    expect(bench.sent).toEqual([
      {
        toolResponse: {
          functionResponses: [
            { id: 't1', name: 'order', response: { output: { ok: true } } },
            { id: 't2', name: 'order', response: { error: { code: 'no_stock' } } },
          ],
        },
      },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'response_done', status: 'completed' });
  });

  it('that the service cancelled have run: the model gets the result as a note', async () => {
    const { connection, settled } = await bench.connected();
    bench.server.last.send({ toolCall: { functionCalls: [call('t1')] } }, { toolCallCancellation: { ids: ['t1'] } });
    await settled();
    connection.sendToolResult('t1', '{"ok":true}');
    connection.createResponse({});
    await settled();
    expect(bench.sent).toEqual([
      { realtimeInput: { text: expect.stringContaining('called the tool order with {}. It returned: {"ok":true}') } },
    ]);
  });

  it('take their time: words of the session are spoken here meanwhile, because a text would cancel the call', async () => {
    const { connection, events, settled, until } = await bench.connected();
    bench.server.last.send({ toolCall: { functionCalls: [call('t1')] } });
    await settled();
    connection.createResponse({ say: 'One moment, please.' });
    await until(() => events.filter(({ type }) => type === 'response_done').length === 2);
    expect(audioMs(events)).toBeGreaterThan(500);
    connection.sendToolResult('t1', '"done"');
    connection.createResponse({});
    await settled();
    expect(bench.sent).toMatchObject([{ toolResponse: {} }]);
  });
});

describe('texts without a request', () => {
  it('reach the model between two turns', async () => {
    const { connection, settled } = await bench.connected();
    bench.server.last.send(sound(100));
    await settled();
    connection.sendText('The call ends in 30 seconds.', 'system');
    bench.clock.advance(1_000);
    await settled();
    expect(bench.sent).toEqual([]);
    bench.server.last.send(generated, complete);
    await settled();
    bench.clock.advance(200);
    await settled();
    expect(bench.sent).toEqual([{ realtimeInput: { text: expect.stringContaining('The call ends in 30 seconds.') } }]);
  });
});

describe('usage', () => {
  it('is billed per modality, cached tokens apart, thoughts as text', async () => {
    const { events, settled } = await bench.connected();
    const modality = (text: number, audio: number) => [
      { modality: 'TEXT', tokenCount: text },
      { modality: 'AUDIO', tokenCount: audio },
    ];
    bench.server.last.send({
      usageMetadata: {
        promptTokenCount: 350,
        promptTokensDetails: modality(100, 250),
        cachedContentTokenCount: 90,
        cacheTokensDetails: modality(40, 50),
        responseTokenCount: 70,
        responseTokensDetails: modality(10, 60),
        thoughtsTokenCount: 5,
      },
    });
    bench.server.last.send({ usageMetadata: { promptTokenCount: 7, responseTokenCount: 1e15 } });
    await settled();
    const quantities = events.flatMap((event) =>
      event.type === 'usage' ? [Object.fromEntries(event.items.map(({ kind, quantity }) => [kind, quantity]))] : [],
    );
    expect(quantities).toEqual([
      {
        input_text_tokens: 0.06,
        input_audio_tokens: 0.2,
        cached_text_tokens: 0.04,
        cached_audio_tokens: 0.05,
        output_text_tokens: 0.015,
        output_audio_tokens: 0.06,
      },
      { input_text_tokens: 0.007 },
    ]);
    expect(events.at(-1)).toMatchObject({ code: 'usage_not_believed' });
    const sources = events.flatMap((event) => (event.type === 'usage' ? event.items.map(({ source }) => source) : []));
    expect([...new Set(sources)]).toEqual(['gemini-live:a-model']);
  });
});
