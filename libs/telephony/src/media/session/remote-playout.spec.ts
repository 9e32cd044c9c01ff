import { beforeEach, describe, expect, it } from '@jest/globals';
import { RemotePlayout } from './remote-playout.js';

let playout: RemotePlayout;
let marks: [name: string, played: boolean][];

const send = (frames: number, audioMs = 20): void => {
  for (let i = 0; i < frames; i++) playout.frameSent(audioMs);
};
const mark = (name: string, at = 0): void => playout.reached((played) => marks.push([name, played]), at);

beforeEach(() => {
  playout = new RemotePlayout();
  marks = [];
});

describe('the play-out of a remote party that reports it', () => {
  it('counts sent audio as played before the first report', () => {
    send(10);
    mark('first');
    expect([playout.unplayedMs(0), marks]).toEqual([0, [['first', true]]]);
  });

  it.each([
    ['stands still', 120, false, 1_050, 120],
    ['goes on in real time between reports', 120, true, 1_050, 70],
    ['goes on for 200 ms without a report', 600, true, 1_900, 400],
    ['has played everything', 40, true, 1_100, 0],
    ['is over when no report comes for 2 s', 600, false, 3_001, 0],
    ['does not begin before the first sent frame', 5_000, false, 1_000, 1_000],
  ])('%s', (_title, unplayedMs, isAdvancing, now, expected) => {
    send(50);
    playout.report(unplayedMs, isAdvancing, 1_000);
    expect(playout.unplayedMs(now)).toBe(expected);
  });

  it('does not count silence after the audio', () => {
    send(10);
    send(1, 5);
    send(3, 0);
    playout.report(90, false, 0);
    expect(playout.unplayedMs(0)).toBe(15);
  });

  it('delays the mark of a piece until the piece is played', () => {
    playout.report(0, false, 0);
    send(5);
    mark('one');
    send(5);
    mark('two');
    playout.report(150, true, 100);
    playout.run(100);
    expect(marks).toEqual([]);
    playout.run(150);
    expect(marks).toEqual([['one', true]]);
    playout.report(0, true, 260);
    playout.run(260);
    expect(marks).toEqual([
      ['one', true],
      ['two', true],
    ]);
  });

  it('calls a mark after 2 s without reports, so that nobody waits for a page that has stopped', () => {
    playout.report(0, false, 0);
    send(5);
    mark('one', 0);
    playout.report(100, false, 1_900);
    playout.run(2_000);
    expect(marks).toEqual([]);
    playout.run(2_001);
    expect(marks).toEqual([['one', true]]);
  });

  it('drops what was not played at a flush, once', () => {
    playout.report(0, false, 0);
    send(10);
    mark('one');
    playout.report(60, false, 100);
    expect([playout.flush(100), marks]).toEqual([60, [['one', false]]]);
    // A report that was sent before the page knew of it.
    playout.report(60, false, 120);
    expect(playout.unplayedMs(120)).toBe(0);
  });
});
