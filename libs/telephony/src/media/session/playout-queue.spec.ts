import { describe, expect, it } from '@jest/globals';
import { decode, encode } from '../codecs/g711.js';
import { MAX_QUEUED_MS, OutgoingAudio, PlayoutQueue, PlayoutWaiters } from './playout-queue.js';
import { tone } from '../signals/tones.js';
import { pcmBytes } from '../codecs/wire-codec.js';

const audio = (ms: number, fill = 1): Buffer => Buffer.alloc(ms * 8, fill);

function queue() {
  const target = Buffer.alloc(160);
  const played = new PlayoutQueue();
  const marks: [string, boolean][] = [];
  const mark = (name: string) => (done: boolean) => marks.push([name, done]);
  const frame = () => {
    const taken = played.take(target, 0, 160);
    played.marksReached();
    return taken;
  };
  return { played, marks, mark, frame, target };
}

describe('play queue', () => {
  it('calls a mark when the last frame of its piece has been sent', () => {
    const { played, marks, mark, frame } = queue();
    played.write(audio(40), mark('a'));
    frame();
    expect(marks).toEqual([]);
    frame();
    expect(marks).toEqual([['a', true]]);
  });

  it('joins pieces of any length without a seam', () => {
    const { played, marks, mark, frame, target } = queue();
    played.write(audio(5, 1), mark('a'));
    played.write(audio(25, 2), mark('b'));
    expect(frame()).toBe(160);
    expect([target[39], target[40], target[159]]).toEqual([1, 2, 2]);
    expect(marks).toEqual([['a', true]]);
    expect(frame()).toBe(80);
    expect(marks).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect(frame()).toBe(0);
  });

  it('treats a mark without audio as a position', () => {
    const { played, marks, mark, frame } = queue();
    played.write(audio(20));
    played.write(Buffer.alloc(0), mark('end'));
    frame();
    expect(marks).toEqual([['end', true]]);
  });

  it('reports played and dropped milliseconds', () => {
    const { played, marks, mark, frame } = queue();
    played.write(audio(40), mark('a'));
    played.write(audio(100), mark('b'));
    for (let i = 0; i < 3; i++) frame();
    expect(played.queuedMs).toBe(80);
    expect(played.flush()).toEqual({ playedMs: 60, droppedMs: 80 });
    expect(marks).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(played.flush()).toEqual({ playedMs: 0, droppedMs: 0 });
  });

  it('starts counting again with the first write into an empty queue, not when it runs dry', () => {
    const { played, frame } = queue();
    played.write(audio(20));
    frame();
    frame();
    expect(played.flush()).toEqual({ playedMs: 20, droppedMs: 0 });
    played.write(audio(20));
    frame();
    played.write(audio(60));
    frame();
    expect(played.flush()).toEqual({ playedMs: 20, droppedMs: 40 });
  });
});

it('holds five minutes: a piece that does not fit is dropped as a whole, and its mark is called with false', () => {
  const queue = new PlayoutQueue();
  const marks: string[] = [];
  queue.write(Buffer.alloc(MAX_QUEUED_MS * 8 - 80), () => marks.push('first'));
  queue.write(Buffer.alloc(160), (played) => marks.push(`second ${played}`));
  queue.write(Buffer.alloc(80), (played) => marks.push(`third ${played}`));
  expect([queue.queuedMs, marks]).toEqual([MAX_QUEUED_MS, ['second false']]);
});

/** The frames: `a` audio with more behind it, `z` the last audio, `-` silence. Returns the frame after which the wait is over. */
async function over(settleMs: number, frames: string): Promise<number> {
  const waiters = new PlayoutWaiters();
  let settled = false;
  void waiters.wait(settleMs).then(() => (settled = true));
  for (let i = 0; i < frames.length; i++) {
    if (frames[i] === '-') waiters.silenceSent();
    else waiters.audioSent(frames[i] === 'z');
    await Promise.resolve();
    if (settled) return i + 1;
  }
  return NaN;
}

describe('waiting for the end of playout', () => {
  it.each([
    ['without a settling time it ends with the last audio', 0, 'aaz---', 3],
    ['60 ms of silence after the last audio', 60, 'aaz-----', 6],
    ['a settling time is filled up to whole frames', 50, 'z-----', 4],
    ['audio in between restarts it', 60, 'z--az-----', 8],
    ['does not end while audio is sent', 60, 'aaaaaaa', NaN],
  ])('%s', async (_name, settleMs, frames, expected) => expect(await over(settleMs, frames)).toBe(expected));
});

describe('outgoing L16 audio', () => {
  const wideTone = (hz: number, ms: number): Buffer =>
    pcmBytes(Int16Array.from({ length: 16 * ms }, (_, i) => 8_000 * Math.sin((2 * Math.PI * hz * i) / 16_000)));

  /** Peak of each frame in the port's law. */
  function peaks(out: OutgoingAudio, law: 'PCMU' | 'PCMA', frames: number): number[] {
    const target = Buffer.alloc(160);
    return Array.from({ length: frames }, () => Math.max(...decode(law, out.next(target)).map(Math.abs)));
  }

  it('is counted in milliseconds and reaches a wire of G.711, also when the codec changes in mid-call', () => {
    const out = new OutgoingAudio();
    const marks: boolean[] = [];
    out.setFormat('PCMA', 'G722');
    out.queue.write(wideTone(1_000, 100), (played) => marks.push(played), 'L16');
    expect(out.queue.queuedMs).toBe(100);
    const before = peaks(out, 'PCMA', 2);
    out.setFormat('PCMA', 'PCMA');
    const after = peaks(out, 'PCMA', 4);
    out.queue.marksReached();
    expect(marks).toEqual([true]);
    for (const peak of [...before.slice(1), ...after.slice(1, 3)]) expect(peak / 8_000).toBeCloseTo(1, 0);
    expect(after[3]).toBeLessThan(100);
    expect(out.queue.flush()).toEqual({ playedMs: 100, droppedMs: 0 });
  });

  it('joins with G.711 pieces in one frame of a G.722 wire, at the same level', () => {
    const out = new OutgoingAudio();
    out.setFormat('PCMU', 'G722');
    out.queue.write(wideTone(1_000, 30), undefined, 'L16');
    out.queue.write(encode('PCMU', tone([1_000], 30, 8_000)));
    expect(out.queue.queuedMs).toBe(60);
    const heard = peaks(out, 'PCMU', 5);
    for (const peak of heard.slice(0, 3)) expect(peak).toBeGreaterThan(6_500);
    // The fourth frame has the ends of the filters.
    expect(heard[4]).toBeLessThan(100);
  });
});
