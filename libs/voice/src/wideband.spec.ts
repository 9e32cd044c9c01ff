import { decode, encode, pcmBytes, pcmSamples } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { PuppetProvider } from '../test/puppet-provider.js';
import { SILENT_FRAME } from '../test/stepped-line.js';
import { answeredCall } from '../test/test-call.js';
import { realtimeAudio } from './providers/openai-realtime/realtime-session.js';

const CAPABILITIES = { cancel: true, truncate: true, transcribesUser: true } as const;

const tone = (hz: number, rate: number, ms: number): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1_000 }, (_, i) => 10_000 * Math.sin((2 * Math.PI * hz * i) / rate));

/** The power of one frequency in the middle of the samples, relative to the tone above, in dB. */
function levelAt(hz: number, rate: number, samples: Int16Array): number {
  const from = samples.length >> 2;
  const count = samples.length >> 1;
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i++) {
    re += samples[from + i]! * Math.cos((2 * Math.PI * hz * i) / rate);
    im += samples[from + i]! * Math.sin((2 * Math.PI * hz * i) / rate);
  }
  return 20 * Math.log10(((2 * Math.hypot(re, im)) / count + 1e-6) / 10_000);
}

function wideCall(provider: PuppetProvider, fallbacks: PuppetProvider[] = []) {
  return answeredCall({
    provider: (line) => {
      line.wideband = true;
      return provider;
    },
    fallbacks,
  });
}

describe('a wideband call', () => {
  it('sends L16 frames to a provider that takes them, and plays its L16 audio with the right duration', async () => {
    const provider = new PuppetProvider({ ...CAPABILITIES, wideband: true });
    const { line, of } = wideCall(provider);
    await line.run(40);
    expect(provider.last.request.codec).toBe('L16');
    const wide = pcmBytes(tone(6_000, 16_000, 20));
    await line.hearWide(SILENT_FRAME, wide);
    expect(provider.last.heard).toEqual(wide);
    // A frame without wideband audio, such as a concealed one.
    await line.run(20);
    expect(provider.last.heard).toHaveLength(640);
    provider.last.emit({ type: 'response_started', responseId: 'r1' });
    const audio = pcmBytes(tone(6_000, 16_000, 1_000));
    provider.last.emit({ type: 'agent_text', responseId: 'r1', itemId: 'i1', text: 'Hello.' });
    provider.last.emit({ type: 'audio', responseId: 'r1', itemId: 'i1', audio });
    provider.last.emit({ type: 'response_done', responseId: 'r1', status: 'completed' });
    await line.until(() => of('turn').length === 1, 2_000);
    const [{ started_ms: from, ended_ms: to } = { started_ms: 0, ended_ms: 0 }] = of('turn');
    expect(to - from).toBe(1_000);
    expect(line.sent.filter((frame) => frame.length === 640)).toHaveLength(50);
  });

  it('gives G.711 to a provider that takes no L16, also to a fallback in mid-call', async () => {
    const wide = new PuppetProvider({ ...CAPABILITIES, wideband: true });
    const narrow = new PuppetProvider(CAPABILITIES, undefined, 'narrow');
    const { line } = wideCall(wide, [narrow]);
    await line.run(40);
    wide.last.emit({ type: 'closed', reason: 'gone', final: true });
    await line.run(40);
    expect(narrow.last.request.codec).toBe('PCMU');
    await line.run(40);
    expect(narrow.last.heard).toHaveLength(160);
    narrow.last.respond('Hello again.', 100);
    await line.run(200);
    expect(line.sent.some((frame) => frame.length === 160 && frame[0] === 0x10)).toBe(true);
  });
});

describe('the PCM of the Realtime protocol', () => {
  it('keeps what is above the telephone band in both directions', () => {
    const audio = realtimeAudio('L16');
    const heard = tone(6_000, 16_000, 400);
    const pieces: Buffer[] = [];
    for (let at = 0; at < heard.length; at += 320) pieces.push(audio.outgoing(pcmBytes(heard.slice(at, at + 320))));
    const atServer = pcmSamples(Buffer.concat(pieces));
    expect(atServer).toHaveLength(9_600);
    expect(levelAt(6_000, 24_000, atServer)).toBeGreaterThan(-1);
    const server = pcmBytes(tone(6_000, 24_000, 400));
    // Deltas may end in the middle of a sample.
    const back = [0, 1_001, 5_000].map((at, n, all) => audio.incoming(server.subarray(at, all[n + 1])));
    const onLine = pcmSamples(Buffer.concat(back));
    expect(onLine).toHaveLength(6_400);
    expect(levelAt(6_000, 16_000, onLine)).toBeGreaterThan(-1);
  });

  it('leaves G.711 as it is', () => {
    const frame = encode('PCMA', tone(440, 8_000, 20));
    const audio = realtimeAudio('PCMA');
    expect([audio.outgoing(frame), audio.incoming(frame)]).toEqual([frame, frame]);
    expect(decode('PCMA', audio.outgoing(frame))).toHaveLength(160);
  });
});
