import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { encode } from '../media/codecs/g711.js';
import type { Paced } from '../media/session/pacer.js';
import { type CallRoom, RoomAudio } from './room-audio.js';

const frameOf = (sample: number, ms = 20): Buffer => encode('PCMU', new Int16Array(ms * 8).fill(sample));

/** A room and a clock under control of the test. */
class RoomByHand implements CallRoom {
  queuedMs = 0;
  readonly got: Int16Array[] = [];
  readonly keys: string[] = [];
  brokenKeys = false;
  readonly audio = new RoomAudio(this, { join: (member: Paced) => ((this.member = member), () => undefined) });
  private member?: Paced;

  send(samples: Int16Array): void {
    this.got.push(samples);
    this.queuedMs += samples.length / 8;
  }

  clearQueue(): void {
    this.queuedMs = 0;
  }

  sendDigit(_: number, digit: string): Promise<void> {
    if (this.brokenKeys) return Promise.reject(new Error('no data channel'));
    this.keys.push(digit);
    return Promise.resolve();
  }

  leave(): Promise<void> {
    return Promise.resolve();
  }

  /** `ticks` times: the port gives 20 ms, the room sends 20 ms. */
  pass(ticks: number): void {
    for (let i = 0; i < ticks; i++) {
      this.member!.tick();
      this.queuedMs = Math.max(0, this.queuedMs - 20);
    }
  }
}

function started(): RoomByHand {
  const room = new RoomByHand();
  room.audio.start();
  return room;
}

describe('RoomAudio', () => {
  it('sends silence while nothing is queued, then every sample once, without a seam', () => {
    const room = started();
    room.pass(2);
    expect(room.got.flatMap((samples) => [...samples]).every((sample) => sample === 0)).toBe(true);
    const before = room.got.length;
    room.audio.write(frameOf(1_000, 30));
    room.audio.write(frameOf(-1_000, 30));
    room.pass(3);
    const heard = room.got.slice(before).flatMap((samples) => [...samples]);
    expect(heard.map(Math.sign)).toEqual([...Array<number>(240).fill(1), ...Array<number>(240).fill(-1)]);
  });

  it('adds silence in advance only when the room has run dry', () => {
    const room = started();
    room.pass(50);
    expect(room.got).toHaveLength(51);
    expect(room.got[0]).toHaveLength(320);
    room.queuedMs = 0;
    room.pass(1);
    expect(room.got).toHaveLength(53);
  });

  it('gives a stalled room no more than a flush can take back, and queues the rest', () => {
    const room = started();
    room.audio.write(frameOf(1_000, 400));
    room.pass(1);
    room.queuedMs = 200;
    room.pass(1);
    expect(room.audio.queuedMs).toBe(380);
    expect(room.audio.stats().lateFrames).toBe(1);
  });

  it('a flush takes back the audio that the room has not sent', () => {
    const room = started();
    const marks: boolean[] = [];
    room.audio.write(frameOf(1_000, 200), (played) => marks.push(played));
    room.pass(5);
    // 100 ms were handed over; 40 ms of them wait behind the silence.
    expect(room.queuedMs).toBe(40);
    expect(room.audio.flush()).toEqual({ playedMs: 60, droppedMs: 140 });
    expect([room.queuedMs, room.audio.queuedMs, marks]).toEqual([0, 0, [false]]);
  });

  it('a paused playout keeps its audio, and counts what the room has sent meanwhile', () => {
    const room = started();
    room.audio.write(frameOf(1_000, 200));
    room.pass(5);
    room.audio.pausePlayout(true);
    room.pass(5);
    expect(room.audio.queuedMs).toBe(100);
    expect(room.got.slice(-5).every((samples) => samples.every((sample) => sample === 0))).toBe(true);
    expect(room.audio.flush()).toEqual({ playedMs: 100, droppedMs: 100 });
    room.audio.write(frameOf(1_000, 40));
    room.pass(1);
    expect(room.audio.queuedMs).toBe(20);
  });

  it('is drained only when the room has sent the last audio', async () => {
    const room = started();
    room.audio.write(frameOf(1_000, 20));
    let done = false;
    const drained = room.audio.drained(0).then(() => (done = true));
    room.pass(2);
    await Promise.resolve();
    expect(done).toBe(false);
    room.pass(1);
    await drained;
    await expect(started().audio.drained(0)).resolves.toBeUndefined();
  });

  it('cuts received audio into frames of 160 bytes, and fills gaps with silence', () => {
    const room = started();
    const frames: number[] = [];
    const stop = room.audio.onFrame((frame) => frames.push(frame.length));
    for (const length of [80, 240, 160]) room.audio.receive(new Int16Array(length).fill(1_000));
    expect(frames).toEqual([160, 160, 160]);
    stop();
    room.audio.receive(new Int16Array(160));
    expect(frames).toHaveLength(3);
    expect(room.audio.stats()).toMatchObject({ received: 4, lost: 0, srtp: false });
  });

  it('sends keys 400 ms apart, and resolves after the last one', async () => {
    const room = started();
    const sent = room.audio.sendDtmf('1#a');
    room.pass(21);
    expect(room.keys).toEqual(['1']);
    room.pass(42);
    await sent;
    expect(room.keys).toEqual(['1', '#', 'A']);
    await expect(room.audio.sendDtmf('x')).rejects.toThrow('digits');
  });

  it('rejects keys that cannot be sent, and those that wait when it closes', async () => {
    const room = started();
    room.brokenKeys = true;
    const lost = room.audio.sendDtmf('12');
    room.pass(1);
    await expect(lost).rejects.toThrow('no data channel');
    const waiting = room.audio.sendDtmf('12');
    const drained = room.audio.drained(100);
    const closed = room.audio.close();
    await expect(waiting).rejects.toThrow('closed');
    await expect(drained).rejects.toThrow('closed');
    await closed;
  });

  it('records both sides, one frame of each per tick', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-room-'));
    const path = join(folder, 'call.wav');
    const room = started();
    room.audio.record(path);
    room.audio.receive(new Int16Array(160).fill(-1_000));
    room.audio.write(frameOf(1_000, 20));
    room.pass(2);
    const { recording } = await room.audio.close();
    expect(recording).toMatchObject({ path, durationMs: 40 });
    const samples = (await readFile(path)).subarray(44);
    expect([samples.readInt16LE(0), samples.readInt16LE(2)].map(Math.sign)).toEqual([-1, 1]);
    expect(samples.readInt16LE(samples.length - 4)).toBe(0);
    await rm(folder, { recursive: true });
  });
});
