import { describe, expect, it } from '@jest/globals';
import { Pacer, type PacerClock } from './pacer.js';

/** A clock under control of the test; timers fire `lateMs` late, like real ones. */
class TestClock implements PacerClock {
  time = 1_000;
  lateMs = 0;
  private timer: { at: number; callback: () => void } | undefined;

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timer = timer;
    return () => {
      if (this.timer === timer) this.timer = undefined;
    };
  }

  get isArmed(): boolean {
    return this.timer !== undefined;
  }

  run(ms: number): void {
    const end = this.time + ms;
    while (this.timer && this.timer.at + this.lateMs <= end) {
      this.time = Math.max(this.time, this.timer.at + this.lateMs);
      const { callback } = this.timer;
      this.timer = undefined;
      callback();
    }
    this.time = end;
  }

  stall(ms: number): void {
    this.time += ms;
  }
}

function member(clock: TestClock) {
  const ticks: number[] = [];
  const skips: number[] = [];
  return {
    ticks,
    skips,
    tick: () => void ticks.push(clock.time),
    skipped: (frames: number) => void skips.push(frames),
  };
}

describe('pacer', () => {
  it('loses no frame in an hour although every timer is late', () => {
    const clock = new TestClock();
    clock.lateMs = 1.3;
    const session = member(clock);
    new Pacer(clock).join(session);
    clock.run(3_600_000);
    expect(session.ticks.length).toBe(180_000);
    expect(session.skips).toEqual([]);
  });

  it('spreads sessions over four slots of 5 ms', () => {
    const clock = new TestClock();
    const pacer = new Pacer(clock);
    const sessions = Array.from({ length: 8 }, () => member(clock));
    sessions.forEach((session) => pacer.join(session));
    clock.run(20);
    expect(sessions.map((session) => (session.ticks[0] as number) - 1_000)).toEqual([5, 10, 15, 20, 5, 10, 15, 20]);
  });

  it('catches up a short delay at four times the pace, without a burst', () => {
    const clock = new TestClock();
    const session = member(clock);
    new Pacer(clock).join(session);
    clock.run(100);
    clock.stall(90);
    clock.run(110);
    expect(session.ticks.length).toBe(15);
    expect(session.skips).toEqual([]);
    const gaps = session.ticks.slice(1).map((at, i) => at - (session.ticks[i] as number));
    expect(Math.min(...gaps)).toBe(5);
  });

  it('runs what is due without its timer', () => {
    const clock = new TestClock();
    const pacer = new Pacer(clock);
    const session = member(clock);
    pacer.join(session);
    clock.lateMs = 20; // the event loop is busy
    for (let i = 0; i < 100; i++) {
      clock.run(1);
      pacer.runDue(clock.time);
    }
    expect(session.ticks).toEqual([1_005, 1_025, 1_045, 1_065, 1_085]);
    expect(session.skips).toEqual([]);
  });

  it('runs nothing before the first member and after the last', () => {
    const clock = new TestClock();
    const pacer = new Pacer(clock);
    expect(pacer.runDue(clock.time)).toBe(clock.time);
    const session = member(clock);
    pacer.join(session)();
    clock.stall(100);
    pacer.runDue(clock.time);
    expect([session.ticks, clock.isArmed]).toEqual([[], false]);
  });

  it('skips the missed frames after a stall of more than 200 ms, and keeps its phase', () => {
    const clock = new TestClock();
    const session = member(clock);
    new Pacer(clock).join(session);
    clock.run(105);
    clock.stall(1_000);
    clock.run(100);
    expect(session.skips).toEqual([49]);
    expect(session.ticks.length + 49).toBe(61);
    expect(((session.ticks.at(-1) as number) - 1_005) % 20).toBe(0);
  });

  it('runs from the first member to the last', () => {
    const clock = new TestClock();
    const pacer = new Pacer(clock);
    expect(clock.isArmed).toBe(false);
    const leaves = [member(clock), member(clock)].map((session) => pacer.join(session));
    leaves[0]?.();
    expect(clock.isArmed).toBe(true);
    leaves[1]?.();
    expect(clock.isArmed).toBe(false);
    const late = member(clock);
    pacer.join(late);
    clock.run(25);
    expect(late.ticks.length).toBe(2);
  });

  it('continues when a member throws', () => {
    const clock = new TestClock();
    const pacer = new Pacer(clock);
    const other = member(clock);
    pacer.join({
      tick: () => {
        throw new Error('listener');
      },
      skipped: () => undefined,
    });
    pacer.join(other);
    for (let i = 0; i < 5; i++) expect(() => clock.run(20)).toThrow('listener');
    expect(other.ticks.length).toBeGreaterThanOrEqual(4);
  });

  it('lets a member leave from inside its tick', () => {
    const clock = new TestClock();
    const pacer = new Pacer(clock);
    let count = 0;
    const leave = pacer.join({
      tick: () => {
        if (++count === 3) leave();
      },
      skipped: () => undefined,
    });
    clock.run(1_000);
    expect(count).toBe(3);
    expect(clock.isArmed).toBe(false);
  });
});
