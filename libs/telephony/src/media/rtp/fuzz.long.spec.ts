import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FuzzRun, heapInUse } from '../../../../../test/fuzz/fuzz-run.js';
import { PACKET_MUTATIONS } from '../../../../../test/fuzz/mutations.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { SeededRandom } from '../../../../../test/support/seeded-random.js';
import type { Codec } from '../session/media-port.js';
import { openMediaSession } from '../session/media-session.js';
import type { MediaSession } from '../session/media-session.types.js';
import { RecordingChannel } from '../session/recording-channel.js';
import { parseRtcp, RtcpReporter, writeRtcp } from './rtcp.js';
import { parseRtp, writeRtpHeader } from './rtp-packet.js';
import { RtpReceiver } from './rtp-receiver.js';
import { newLocalSrtp, type SrtpKey } from './srtp-keys.js';
import { MAX_SRTP_TAG_BYTES, SrtpOpener, SrtpSealer } from './srtp.js';

const SEED = 'fuzz 1';
const RTP = 30_000;
const RTCP = 10_000;
const SRTP_PER_SUITE = 4_000;
const OVER_SOCKETS = 5_000;
const MB = 2 ** 20;

const KINDS = Object.keys(PACKET_MUTATIONS);

function report(title: string, run: FuzzRun): void {
  process.stdout.write(`${title}\n${run.toString()}\n`);
}

/** Packet `n` of a stream: mostly PCMU, some PCMA, G.722, digits and unknown types. */
function rtpPacket(n: number, random: SeededRandom): Buffer {
  const payloadType = random.pick([0, 0, 0, 0, 8, 9, 101, 77]);
  const packet = Buffer.concat([
    Buffer.alloc(12),
    random.bytes(payloadType === 101 ? 4 : random.pick([160, 160, 160, 80, 240])),
  ]);
  writeRtpHeader(packet, {
    payloadType,
    marker: random.chance(0.1),
    sequence: n & 0xffff,
    timestamp: (n * 160) >>> 0,
    ssrc: 7,
  });
  return packet;
}

function rtcpPacket(n: number, random: SeededRandom): Buffer {
  const ssrc = random.int(0, 2 ** 32 - 1);
  const number = (): number => random.int(0, 2 ** 32 - 1);
  const block = {
    ssrc: 7,
    fractionLost: 3,
    lost: random.int(-9, 9),
    highest: number(),
    jitter: number(),
    lastSr: number(),
    sinceLastSr: number(),
  };
  const sender = { ntp: { seconds: number(), fraction: number() }, timestamp: number(), packets: n, octets: n * 160 };
  return writeRtcp({
    ssrc,
    cname: 'fuzz',
    ...(random.chance(0.6) && { sender }),
    ...(random.chance(0.7) && { block }),
    bye: random.chance(0.1),
  });
}

function mutated(packet: Buffer, kind: string, random: SeededRandom): Buffer {
  const once = PACKET_MUTATIONS[kind]!(packet, random);
  return random.chance(0.2) ? PACKET_MUTATIONS[random.pick(KINDS)]!(once, random) : once;
}

describe('malformed audio', () => {
  it(`${RTP} RTP packets neither make the receiver throw nor stay in memory`, () => {
    const random = new SeededRandom(`${SEED} rtp`);
    const run = new FuzzRun();
    let [now, frames, digits] = [0, 0, 0];
    const payloadTypes = { codec: 'PCMU' as Codec, audio: 0, dtmf: 101 };
    const track = new RecordingChannel('PCMU');
    const recorded = new Int32Array(160);
    const silence = Buffer.alloc(160, 0xff);
    const receiver = new RtpReceiver(
      { codec: 'PCMU', payloadTypes },
      {
        frame: (frame) => (frames += frame.length / 160),
        payload: () => undefined,
        placed: (at, audio, placing) => track.place(at, audio, placing, now * 8),
        restarted: () => track.restart(),
        digit: () => digits++,
      },
    );
    const heap = heapInUse();
    for (let n = 0; n < RTP; n++) {
      const kind = KINDS[n % KINDS.length]!;
      now += 20;
      run.feed(kind, mutated(rtpPacket(n, random), kind, random), (data) => {
        const packet = parseRtp(data);
        if (packet) receiver.receive(packet, now);
        receiver.tick(now);
        track.take();
        track.interleave(recorded, 0, silence, false);
      });
    }
    report('RTP', run);
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);
    expect(frames).toBeGreaterThan(1_000);
    expect(digits).toBeGreaterThan(0);
    expect(Object.values(receiver.stats()).every((one) => Number.isFinite(one) && one >= 0)).toBe(true);
    expect((heapInUse() - heap) / MB).toBeLessThan(5);
  });

  it('a flood of packets without audio costs no memory', () => {
    const receiver = new RtpReceiver(
      { codec: 'PCMU', payloadTypes: { codec: 'PCMU', audio: 0 } },
      { frame: () => undefined, payload: () => undefined, digit: () => undefined },
    );
    const heap = heapInUse();
    for (let n = 0; n < 200_000; n++) {
      const packet = Buffer.alloc(12);
      writeRtpHeader(packet, { payloadType: 0, marker: false, sequence: n & 0xffff, timestamp: 0, ssrc: 7 });
      receiver.receive(parseRtp(packet)!, n / 50);
    }
    expect((heapInUse() - heap) / MB).toBeLessThan(5);
    expect(receiver.stats().received).toBe(200_000);
  });

  it('a flood after a gap is not buffered until the gap expires', () => {
    let frames = 0;
    const receiver = new RtpReceiver(
      { codec: 'PCMU', payloadTypes: { codec: 'PCMU', audio: 0 } },
      { frame: () => frames++, payload: () => undefined, digit: () => undefined },
    );
    for (let n = 0; n < 2_000; n++) {
      const packet = Buffer.alloc(172);
      writeRtpHeader(packet, {
        payloadType: 0,
        marker: false,
        sequence: n === 0 ? 0 : n + 1,
        timestamp: n * 160,
        ssrc: 7,
      });
      receiver.receive(parseRtp(packet)!, 0);
    }
    expect(frames).toBeGreaterThan(1_800);
  });

  it(`${RTCP} RTCP packets leave all statistics finite`, () => {
    const random = new SeededRandom(`${SEED} rtcp`);
    const run = new FuzzRun();
    const reporter = new RtcpReporter(5_000);
    reporter.start(0);
    for (let n = 0; n < RTCP; n++) {
      const kind = KINDS[n % KINDS.length]!;
      run.feed(kind, mutated(rtcpPacket(n, random), kind, random), (data) => {
        parseRtcp(data);
        reporter.receive(data, 7, n * 20);
      });
    }
    report('RTCP', run);
    expect(run.thrown).toEqual([]);
    expect(run.slow()).toEqual([]);
    const { rttMs = 0, remoteLost = 0, remoteJitterMs = 0 } = reporter;
    expect([rttMs, remoteLost, remoteJitterMs].every(Number.isFinite)).toBe(true);
  });

  it.each(newLocalSrtp('required')!.keys.map((key) => [key.suite, key] as const))(
    `${2 * SRTP_PER_SUITE} SRTP and SRTCP packets of %s: only genuine ones are accepted`,
    (suite, key) => {
      const random = new SeededRandom(`${SEED} ${suite}`);
      const run = new FuzzRun();
      const [rtp, rtcp] = sealedStreams(key, random);
      const opener = new SrtpOpener(key);
      let opened = 0;
      const genuine = new Set<string>([...rtp, ...rtcp].map((packet) => packet.toString('latin1')));
      const take = (kind: string, sealed: Buffer, open: (data: Buffer) => Buffer | undefined): void => {
        const data = mutated(sealed, kind, random);
        const isGenuine = genuine.has(data.toString('latin1'));
        run.feed(kind, data, (bytes) => {
          const plain = open(bytes);
          if (plain && !isGenuine) throw new Error('a forged packet was opened');
          if (plain) opened++;
        });
      };
      for (let n = 0; n < SRTP_PER_SUITE; n++) {
        const kind = KINDS[n % KINDS.length]!;
        take(kind, rtp[n]!, (data) => opener.openRtp(data));
        take(kind, rtcp[n]!, (data) => opener.openRtcp(data));
      }
      report(`SRTP and SRTCP, ${suite}`, run);
      expect(run.thrown).toEqual([]);
      expect(run.slow()).toEqual([]);
      expect(opened).toBeGreaterThan(SRTP_PER_SUITE / KINDS.length);
    },
  );
});

function sealedStreams(key: SrtpKey, random: SeededRandom): [Buffer[], Buffer[]] {
  const sealer = new SrtpSealer(key);
  const [rtp, rtcp]: [Buffer[], Buffer[]] = [[], []];
  for (let n = 0; n < SRTP_PER_SUITE; n++) {
    const packet = rtpPacket(n, random);
    const sealed = Buffer.concat([packet, Buffer.alloc(MAX_SRTP_TAG_BYTES)]);
    rtp.push(sealed.subarray(0, sealer.sealRtp(sealed, packet.length)));
    rtcp.push(sealer.sealRtcp(rtcpPacket(n, random)));
  }
  return [rtp, rtcp];
}

describe('a media session', () => {
  let session: MediaSession | undefined;
  let peer: Socket | undefined;

  afterEach(async () => {
    await session?.close();
    peer?.close();
  });

  it(`receives audio after ${OVER_SOCKETS} malformed packets from its peer and from strangers`, async () => {
    const random = new SeededRandom(`${SEED} socket`);
    session = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 24_000, max: 24_998 } });
    const [far, stranger] = [createSocket('udp4').bind(0, '127.0.0.1'), createSocket('udp4').bind(0, '127.0.0.1')];
    peer = far;
    await Promise.all([far, stranger].map((one) => once(one, 'listening')));
    session.start({
      address: '127.0.0.1',
      port: far.address().port,
      codec: 'PCMU',
      payloadType: 0,
      sendAudio: true,
      dtmfPayloadType: 101,
    });
    far.send(rtpPacket(0, new SeededRandom(1)), session.localPort, '127.0.0.1');
    for (let n = 1; n <= OVER_SOCKETS; n++) {
      const kind = KINDS[n % KINDS.length]!;
      const packet = random.chance(0.2) ? rtcpPacket(n, random) : rtpPacket(n, random);
      (random.chance(0.7) ? far : stranger).send(mutated(packet, kind, random), session.localPort, '127.0.0.1');
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    stranger.close();
    const before = session.stats().received;
    let n = OVER_SOCKETS + 20_000;
    const talking = setInterval(
      () => far.send(rtpPacket(n++, new SeededRandom(2)), session!.localPort, '127.0.0.1'),
      20,
    );
    const heard = await eventually(
      () => session!.stats().received,
      (now) => now > before + 10,
    );
    clearInterval(talking);
    expect(heard).toBeGreaterThan(before);
  });
});
