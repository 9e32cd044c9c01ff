import { describe, expect, it } from '@jest/globals';
import { MAX_QUEUED_MS, PlayQueue } from './play-queue.js';

const audio = (ms: number, fill = 1): Buffer => Buffer.alloc(ms * 8, fill);

function queue() {
  const target = Buffer.alloc(160);
  const played = new PlayQueue();
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
  it('marks a piece when its last frame has gone out', () => {
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

  it('takes a mark without audio for a position', () => {
    const { played, marks, mark, frame } = queue();
    played.write(audio(20));
    played.write(Buffer.alloc(0), mark('end'));
    frame();
    expect(marks).toEqual([['end', true]]);
  });

  it('tells what was played and what was dropped', () => {
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

it('holds five minutes: what does not fit is left out as a whole, and its writer is told', () => {
  const queue = new PlayQueue();
  const told: string[] = [];
  queue.write(Buffer.alloc(MAX_QUEUED_MS * 8 - 80), () => told.push('first'));
  queue.write(Buffer.alloc(160), (played) => told.push(`second ${played}`));
  queue.write(Buffer.alloc(80), (played) => told.push(`third ${played}`));
  expect([queue.queuedMs, told]).toEqual([MAX_QUEUED_MS, ['second false']]);
});
