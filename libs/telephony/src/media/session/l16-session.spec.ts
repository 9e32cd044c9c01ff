import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { remoteAt, useRtpSessions } from '../../../test/rtp-sessions.js';
import { forwardAudio } from '../../media-host/local-media-host.js';
import { decode } from '../codecs/g711.js';
import { Narrowing, pcmBytes, pcmSamples } from '../codecs/wire-codec.js';
import type { RemoteMedia, WireCodec } from './media-port.js';
import type { MediaSession } from './media-session.types.js';

const { open, openPeer } = useRtpSessions({ min: 31_600, max: 31_799 });

const PAYLOAD_TYPES: Record<WireCodec, number> = { PCMU: 0, PCMA: 8, G722: 9, L16: 96 };

const towards = ({ localPort: port }: MediaSession, codec: WireCodec): RemoteMedia => ({
  address: '127.0.0.1',
  port,
  codec,
  payloadType: PAYLOAD_TYPES[codec],
  sendAudio: true,
  isExact: true,
});

/** Each sample is another one, so that a lost or doubled sample is seen. */
const ramp = (ms: number): Int16Array => Int16Array.from({ length: 16 * ms }, (_, i) => ((i * 37) % 24_000) - 12_000);

/** The first `ms` of audio at 16 kHz after silence. */
function firstAudio(session: MediaSession, ms: number): Promise<Int16Array> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const stop = session.onFrame((_frame, wide) => {
      if (!wide || (bytes === 0 && pcmSamples(wide).every((sample) => sample === 0))) return;
      pieces.push(wide);
      bytes += wide.length;
      if (bytes < 32 * ms) return;
      stop();
      resolve(pcmSamples(Buffer.concat(pieces)));
    });
  });
}

describe('a session in L16', () => {
  it('delivers what was written, sample for sample, and records it on both sides', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'l16-'));
    const path = join(folder, 'call.wav');
    const [here, there] = [await open(), await open()];
    here.start(towards(there, 'L16'));
    there.start(towards(here, 'L16'));
    there.record(path);
    const samples = ramp(400);
    const heard = firstAudio(there, 400);
    here.write(pcmBytes(samples), undefined, 'L16');
    expect(await heard).toEqual(samples);
    expect([here.wideband, there.stats().lost, there.stats().codec]).toEqual([true, 0, 'L16']);
    await there.close();
    const wav = await readFile(path);
    const left = Int16Array.from({ length: (wav.length - 44) / 4 }, (_, i) => wav.readInt16LE(44 + 4 * i));
    // The recording has 8 kHz and the law of the port; its filter has not heard silence before.
    const expected = decode('PCMU', new Narrowing('PCMU').convert(samples)).subarray(20);
    const at = left.findIndex((_, i) => expected.every((sample, n) => left[i + n] === sample));
    expect(at).toBeGreaterThanOrEqual(0);
    await rm(folder, { recursive: true });
  });

  it.each(['PCMU', 'PCMA', 'G722'] as const)('is heard over a bridge by a line in %s, and hears it', async (codec) => {
    const [page, web, line, phone] = [await open(), await open(), await open(), await open()];
    for (const [one, other, wire] of [
      [page, web, 'L16'],
      [line, phone, codec],
    ] as const) {
      one.start(towards(other, wire));
      other.start(towards(one, wire));
    }
    const stops = [forwardAudio(web, line), forwardAudio(line, web)];
    const tone = Int16Array.from({ length: 16 * 600 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 500 * i) / 16_000));
    const isLoud = (session: MediaSession): Promise<void> =>
      new Promise((resolve) => {
        let loud = 0;
        session.onFrame((frame) => {
          if (decode(session.codec, frame).some((sample) => sample > 6_000) && ++loud === 10) resolve();
        });
      });
    const both = [isLoud(phone), isLoud(page)];
    page.write(pcmBytes(tone), undefined, 'L16');
    phone.write(pcmBytes(tone), undefined, 'L16');
    expect(await Promise.all(both)).toHaveLength(2);
    for (const stop of stops) stop();
  });

  it('hears nobody but the described address and port', async () => {
    const [session, page, stranger] = [await open(), await openPeer(), await openPeer()];
    session.start(remoteAt(page, { codec: 'L16', payloadType: 96, isExact: true }));
    stranger.send(session.localPort, { sequence: 1, payloadType: 96, payload: Buffer.alloc(640, 1) });
    page.send(session.localPort, { sequence: 1, payloadType: 96, payload: Buffer.alloc(640, 2) });
    const heard = await new Promise<Buffer>((resolve) => {
      session.onFrame((_frame, wide) => wide?.[0] !== 0 && wide && resolve(wide));
    });
    expect([heard[0], session.stats().received]).toEqual([2, 1]);
  });
});

describe('a session whose remote party reports its play-out', () => {
  it('counts what was played at a flush, marks the next packet, and delays marks and the end of the audio', async () => {
    const [session, page] = [await open(), await openPeer()];
    session.start(remoteAt(page, { codec: 'L16', payloadType: 96, isExact: true, reportsPlayout: true }));
    const marks: boolean[] = [];
    session.setPlayed(0, false);
    session.write(pcmBytes(ramp(200)), (played) => marks.push(played), 'L16');
    session.write(pcmBytes(ramp(2_000)), (played) => marks.push(played), 'L16');
    const loud = (): number => page.packets.filter(({ payload }) => payload.some((byte) => byte !== 0)).length;
    await page.until(() => loud() === 12);
    // The page plays nothing of it.
    session.setPlayed(240, false);
    expect(marks).toEqual([]);
    const { playedMs, droppedMs } = session.flush();
    expect(playedMs + droppedMs).toBe(2_200);
    expect(playedMs).toBeLessThanOrEqual(40);
    expect(marks).toEqual([false, false]);
    const sent = page.packets.length;
    await page.received(5);
    expect(page.packets.slice(sent).filter(({ marker }) => marker)).toHaveLength(1);
  });
});
