import { beforeEach, describe, expect, it } from '@jest/globals';
import { PagePosition } from './page-position.js';

let position: PagePosition;

const send = (frames: number, untilMs: number): void => {
  for (let i = frames - 1; i >= 0; i--) position.sent(untilMs - 20 * i);
};

beforeEach(() => {
  position = new PagePosition();
});

describe('the position of a page', () => {
  it('is known from the first report on', () => {
    send(10, 200);
    expect(position.report(40, 200)).toEqual({ unplayedMs: 160, isAdvancing: true });
  });

  it('is what it has played of what was sent', () => {
    send(10, 200);
    expect(position.report(80, 200)).toEqual({ unplayedMs: 120, isAdvancing: true });
    send(5, 300);
    expect(position.report(180, 300)).toEqual({ unplayedMs: 120, isAdvancing: true });
    expect(position.report(180, 350)).toEqual({ unplayedMs: 120, isAdvancing: false });
  });

  it('does not count what the page dropped', () => {
    send(10, 200);
    position.report(80, 200);
    position.cleared(230);
    expect(position.report(110, 300)).toEqual({ unplayedMs: 0, isAdvancing: true });
    send(5, 400);
    expect(position.report(110, 400).unplayedMs).toBe(100);
  });

  it('is right again in the next pause when the page dropped less than it seemed', () => {
    send(10, 200);
    position.report(80, 200);
    position.cleared(200);
    // It had played 40 ms more when the message arrived.
    position.report(120, 300);
    position.report(120, 700);
    send(10, 900);
    expect(position.report(220, 900).unplayedMs).toBe(100);
  });

  it.each([
    ['goes on counting', 200],
    ['counts anew', 0],
  ])('follows a page that %s after a reconnection', (_title, playedMs) => {
    send(10, 200);
    position.report(200, 300);
    send(10, 500);
    position.reconnected();
    expect(position.report(playedMs, 600)).toEqual({ unplayedMs: 0, isAdvancing: false });
    send(5, 700);
    expect(position.report(playedMs + 40, 700)).toEqual({ unplayedMs: 60, isAdvancing: true });
  });

  it('is never ahead of what was sent', () => {
    send(2, 40);
    expect(position.report(5_000, 50).unplayedMs).toBe(0);
  });
});
