import { beforeEach, describe, expect, it } from '@jest/globals';
import { CONCEALED, event, heard, type RtpPeer, voice } from '../../../test/rtp-peer.js';
import { remoteAt, useRtpSessions } from '../../../test/rtp-sessions.js';
import { decode, encode, transcode } from '../codecs/g711.js';
import { MediaClosed } from './media-session.js';
import type { RemoteMedia } from './media-port.js';
import type { RtpPacket } from '../rtp/rtp-packet.js';
import { tone } from '../signals/tones.js';

let peer: RtpPeer;
const { open, openPeer } = useRtpSessions({ min: 31_000, max: 31_399 });

const remote = (changes: Partial<RemoteMedia> = {}): RemoteMedia => remoteAt(peer, changes);

beforeEach(async () => {
  peer = await openPeer();
});

describe('sending', () => {
  it('sends silence while the queue is empty, with continuous sequence numbers', async () => {
    const session = await open();
    session.start(remote());
    await peer.received(5);
    const [first, ...rest] = peer.packets as [RtpPacket, ...RtpPacket[]];
    expect(first.marker).toBe(true);
    rest.forEach((packet, i) => {
      expect((packet.sequence - first.sequence) & 0xffff).toBe(i + 1);
      expect((packet.timestamp - first.timestamp) >>> 0).toBe((i + 1) * 160);
      expect(packet).toMatchObject({ marker: false, payloadType: 0, ssrc: first.ssrc });
      expect(packet.payload.equals(voice(0xff))).toBe(true);
    });
  });

  it('plays queued audio in order and calls its mark when it has been sent', async () => {
    const session = await open();
    session.write(Buffer.concat([voice(1), voice(2)]));
    const played = new Promise<boolean>((resolve) => session.write(voice(3), resolve));
    session.start(remote());
    expect(await played).toBe(true);
    await peer.until((packets) => packets.length >= 4);
    expect(peer.packets.slice(0, 4).map((packet) => packet.payload[0])).toEqual([1, 2, 3, 0xff]);
    expect(session.queuedMs).toBe(0);
  });

  it('a flush drops the queue and reports how much was played', async () => {
    const session = await open();
    session.start(remote());
    const outcome = new Promise<boolean>((resolve) => session.write(Buffer.alloc(160 * 50, 1), resolve));
    await peer.until((packets) => packets.filter((packet) => packet.payload[0] === 1).length === 3);
    const { playedMs, droppedMs } = session.flush();
    expect(playedMs + droppedMs).toBe(1_000);
    expect(await outcome).toBe(false);
    await peer.received(3);
    expect(peer.packets.filter((packet) => packet.payload[0] === 1).length * 20).toBe(playedMs);
  });

  it('a paused playout sends silence, is not drained, and continues with the next frame at a rising level', async () => {
    const session = await open();
    const loud = (count: number): Buffer => Buffer.alloc(160 * count, 0x10);
    session.write(loud(10));
    session.start(remote());
    await peer.until((packets) => packets.length >= 3);
    session.pausePlayout(true);
    const { queuedMs } = session;
    let isDrained = false;
    const drained = session.drained(60).then(() => (isDrained = true));
    await peer.received(5);
    expect([session.queuedMs, isDrained]).toEqual([queuedMs, false]);
    expect(peer.packets.at(-1)!.payload.equals(voice(0xff))).toBe(true);
    session.pausePlayout(false);
    await drained;
    const levels = peer.packets.map(({ payload }) => payload[0]!).filter((byte) => byte !== 0xff);
    expect(levels).toHaveLength(10);
    expect(levels.filter((byte) => byte === 0x10)).toHaveLength(7);
    const first = levels.findIndex((byte) => byte !== 0x10);
    const rising = levels.slice(first, first + 4).map((byte) => Math.abs(decode('PCMU', Buffer.of(byte))[0]!));
    expect(rising).toEqual(rising.toSorted((one, other) => one - other));
    expect(rising[0]).toBeLessThan(rising[3]! / 6);
  });

  it('a flush ends the pause of the playout', async () => {
    const session = await open();
    session.start(remote());
    session.write(voice(1));
    session.pausePlayout(true);
    expect(session.flush()).toEqual({ playedMs: 0, droppedMs: 20 });
    await new Promise((resolve) => session.write(voice(2), resolve));
    await peer.until((packets) => packets.some(({ payload }) => payload[0] === 2));
  });

  it('is drained when the queue is empty and the silence after it has been sent', async () => {
    const session = await open();
    session.write(Buffer.alloc(160 * 3, 1));
    session.start(remote());
    await session.drained(60);
    await peer.until((packets) => packets.length >= 6);
    expect(peer.packets.slice(0, 6).map((packet) => packet.payload[0])).toEqual([1, 1, 1, 0xff, 0xff, 0xff]);
    await session.drained(0);
  });

  it('pauses on hold, keeps the queue, and resumes with a marker bit', async () => {
    const session = await open();
    session.start(remote());
    await peer.received(2);
    session.start(remote({ sendAudio: false }));
    session.write(voice(5));
    const other = await open();
    const clock = await openPeer();
    other.start(remote({ port: clock.port }));
    const before = peer.packets.length;
    await clock.received(5);
    expect(peer.packets.length).toBe(before);
    expect(session.queuedMs).toBe(20);
    session.start(remote());
    await peer.received(1);
    const [last, next] = peer.packets.slice(-2) as [RtpPacket, RtpPacket];
    expect(next).toMatchObject({ marker: true, sequence: (last.sequence + 1) & 0xffff });
    expect((next.timestamp - last.timestamp) >>> 0).toBeGreaterThanOrEqual(5 * 160);
    expect(next.payload[0]).toBe(5);
  });

  it('sends digits as telephone events and resumes the audio afterwards', async () => {
    const session = await open();
    session.start(remote());
    await session.sendDtmf('42');
    await peer.received(1);
    const events = peer.packets.filter((packet) => packet.payloadType === 101);
    expect(events.map((packet) => packet.payload[0])).toEqual([
      ...Array<number>(7).fill(4),
      ...Array<number>(7).fill(2),
    ]);
    expect(
      events.filter((packet) => packet.payload.readUInt8(1) & 0x80).map((packet) => packet.payload.readUInt16BE(2)),
    ).toEqual(Array(6).fill(800));
    expect(new Set(events.map((packet) => packet.timestamp)).size).toBe(2);
    expect(events.map((packet) => packet.marker).indexOf(true, 1)).toBe(7);
    const [first, second] = [events[0] as RtpPacket, events[7] as RtpPacket];
    expect((second.timestamp - first.timestamp) >>> 0).toBe((100 + 300) * 8);
    const numbers = peer.packets.map((packet) => packet.sequence);
    numbers.slice(1).forEach((sequence, i) => expect((sequence - (numbers[i] as number)) & 0xffff).toBe(1));
  });

  it('keeps the codec of the port when a new answer changes the codec on the wire', async () => {
    const session = await open();
    session.start(remote());
    session.start(remote({ codec: 'PCMA', payloadType: 8 }));
    const audio = encode('PCMU', tone([400], 20));
    session.write(audio);
    await peer.until((packets) => packets.some((packet) => packet.payload.equals(transcode(audio, 'PCMU', 'PCMA'))));
    expect(session.codec).toBe('PCMU');
    const back = heard(session, 1);
    peer.send(session.localPort, { sequence: 1, payloadType: 8, payload: transcode(voice(0x80), 'PCMU', 'PCMA') });
    expect((await back).at(-1)).toBe(0x80);
  });
});

describe('receiving', () => {
  it('passes frames on in order, conceals a lost one, and counts it', async () => {
    const session = await open();
    session.start(remote());
    const frames = heard(session, 5);
    for (const sequence of [1, 3, 2, 4, 4, 6]) peer.send(session.localPort, { sequence });
    expect((await frames).slice(0, 6)).toEqual([1, 2, 3, 4, CONCEALED, 6]);
    expect(session.stats()).toMatchObject({ received: 5, lost: 1, reordered: 1, duplicates: 1 });
  });

  it('continues with silence when nothing arrives', async () => {
    const session = await open();
    session.start(remote());
    const frames: Buffer[] = [];
    const enough = new Promise<void>((resolve) => session.onFrame((frame) => frames.push(frame) === 8 && resolve()));
    peer.send(session.localPort, { sequence: 1 });
    await enough;
    expect(frames[0]!.readUInt8(0)).toBe(1);
    // The last sound fades out within 60 ms.
    for (const frame of frames.slice(4)) expect(frame.every((byte) => byte === 0xff)).toBe(true);
  });

  it('accepts the first source only and sends to it (symmetric RTP)', async () => {
    const behindNat = await openPeer();
    const intruder = await openPeer();
    const session = await open();
    session.start(remote());
    const frames = heard(session, 2);
    behindNat.send(session.localPort, { sequence: 1 });
    await behindNat.received(1);
    intruder.send(session.localPort, { sequence: 99 });
    behindNat.send(session.localPort, { sequence: 2 });
    expect((await frames).filter((fill) => fill !== 0xff)).toEqual([1, 2]);
    expect(session.stats().received).toBe(2);
  });

  it('does not latch to packets of other payload types', async () => {
    const stranger = await openPeer();
    const session = await open();
    session.start(remote());
    stranger.send(session.localPort, { sequence: 1, payloadType: 96 });
    stranger.socket.send(Buffer.from('not RTP'), session.localPort, '127.0.0.1');
    const frames = heard(session, 1);
    peer.send(session.localPort, { sequence: 5 });
    expect((await frames).at(-1)).toBe(5);
    expect(stranger.packets).toEqual([]);
  });

  it('accepts a new SSRC from the same source', async () => {
    const session = await open();
    session.start(remote());
    const frames = heard(session, 4);
    peer.send(session.localPort, { sequence: 1 });
    peer.send(session.localPort, { sequence: 3 });
    peer.send(session.localPort, { sequence: 40_000, ssrc: 8, payload: voice(4) });
    peer.send(session.localPort, { sequence: 40_001, ssrc: 8, payload: voice(5) });
    expect((await frames).filter((fill) => fill !== 0xff && fill !== CONCEALED)).toEqual([1, 3, 4, 5]);
    expect(session.stats()).toMatchObject({ received: 4, lost: 1 });
  });

  it('follows the remote party to the address of a new answer', async () => {
    const session = await open();
    session.start(remote());
    const before = heard(session, 1);
    peer.send(session.localPort, { sequence: 1 });
    await before;
    const moved = await openPeer();
    session.start(remote({ port: moved.port }));
    peer.send(session.localPort, { sequence: 2 }); // still on the way from the old address
    await moved.received(2);
    const after = heard(session, 1);
    moved.send(session.localPort, { sequence: 50, ssrc: 9 });
    expect((await after).at(-1)).toBe(50);
  });

  it('reports each key once', async () => {
    const session = await open();
    session.start(remote());
    const keys: [string, number][] = [];
    const done = new Promise<void>((resolve) =>
      session.onDtmf((digit, ms) => keys.push([digit, ms]) === 3 && resolve()),
    );
    let sequence = 1;
    const send = (timestamp: number, code: number, end: boolean, duration: number) =>
      peer.send(session.localPort, {
        sequence: sequence++,
        payloadType: 101,
        timestamp,
        payload: event(code, end, duration),
      });
    send(160, 5, false, 160);
    for (let i = 0; i < 3; i++) send(160, 5, true, 800);
    send(4_000, 5, false, 160);
    send(4_000, 5, true, 480);
    send(8_000, 11, false, 320); // its end is lost
    await done;
    session.receiveDigit('#', 160); // the same press, in the signalling too
    session.receiveDigit('7', 160);
    expect(keys).toEqual([
      ['5', 100],
      ['5', 60],
      ['#', 40],
      ['7', 160],
    ]);
    expect(session.stats().lost).toBe(0);
  });

  it('reports one press for events with an SSRC of their own between the audio, and hears all of the audio', async () => {
    const session = await open();
    session.start(remote());
    const keys: string[] = [];
    session.onDtmf((digit) => keys.push(digit));
    const voices = heard(session, 12);
    for (let n = 1; n <= 12; n++) {
      peer.send(session.localPort, { sequence: n });
      const press = { ssrc: 8, payloadType: 101, timestamp: 90_000, payload: event(5, n > 7, Math.min(n, 8) * 160) };
      if (n > 1 && n < 11) peer.send(session.localPort, { sequence: 5_000 + n, ...press });
    }
    expect((await voices).filter((one) => one !== 0xff && one !== CONCEALED)).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
    expect(keys).toEqual(['5']);
    expect(session.stats()).toMatchObject({ received: 21, lost: 0 });
  });

  it('reports a silent remote party repeatedly until the limit, and then stops', async () => {
    const session = await open({ mediaTimeoutMs: 60, silenceLimitMs: 180 });
    const reports: boolean[] = [];
    const final = new Promise<void>((resolve) =>
      session.onTimeout((isFinal) => {
        reports.push(isFinal);
        if (isFinal) resolve();
      }),
    );
    session.start(remote());
    await final;
    const sentBefore = peer.packets.length;
    await peer.received(sentBefore + 10);
    expect(reports).toEqual([false, false, true]);
  });

  it('reports silence after the answer even when it was reported before', async () => {
    const session = await open({ mediaTimeoutMs: 100 });
    const timedOut = (): Promise<string> => new Promise((resolve) => session.onTimeout(() => resolve('silent')));
    session.start(remote());
    await timedOut();
    session.start(remote());
    expect(await timedOut()).toBe('silent');
  });

  it('does not time out on hold', async () => {
    const session = await open({ mediaTimeoutMs: 60 });
    let timedOut = false;
    session.onTimeout(() => (timedOut = true));
    session.start(remote({ sendAudio: false }));
    const clock = await open();
    clock.start(remote());
    await peer.received(10);
    expect(timedOut).toBe(false);
  });
});

it('uses the configured public address in its description', async () => {
  expect((await open({ publicAddress: '203.0.113.9' })).localAddress).toBe('203.0.113.9');
  expect((await open()).localAddress).toBe('127.0.0.1');
});

describe('closing', () => {
  it('rejects pending operations and still answers later calls', async () => {
    const session = await open();
    session.start(remote());
    const mark = new Promise<boolean>((resolve) => session.write(Buffer.alloc(1_600), resolve));
    const waiting = [session.drained(0), session.sendDtmf('1')].map((promise) =>
      expect(promise).rejects.toThrow(MediaClosed),
    );
    const closed = session.close();
    expect(await mark).toBe(false);
    await Promise.all(waiting);
    expect(await closed).toEqual({});
    expect(await session.close()).toEqual({});
    await expect(session.drained(0)).rejects.toThrow(MediaClosed);
  });
});
