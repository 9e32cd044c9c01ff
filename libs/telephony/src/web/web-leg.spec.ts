import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTime } from '../../../../test/support/virtual-time.js';
import { mediaOf, startTestEngine, testMedia } from '../../../../test/full/interop/test-engine.js';
import type { IncomingLeg, LegEnd } from '../engine/carrier-engine.js';
import type { EmbeddedEngine } from '../engine/embedded-engine.js';
import { type PageConnection, WebLine } from './web-line.js';

let engine: EmbeddedEngine;
let time: VirtualTime;
let line: WebLine;
let leg: IncomingLeg;
let ended: Promise<LegEnd>;
const dropped: string[] = [];

/** The page, with what it has received. */
class Page implements PageConnection {
  readonly messages: Record<string, unknown>[] = [];
  readonly frames: Buffer[] = [];
  bufferedAmount = 0;
  closedWith: number | undefined;
  private readonly waiting: { is: () => boolean; resolve: () => void }[] = [];

  send(data: string | Buffer): void {
    if (typeof data === 'string') this.messages.push(JSON.parse(data) as Record<string, unknown>);
    else this.frames.push(data);
    this.look();
  }

  close(code: number): void {
    this.closedWith = code;
    line.closed(this);
    this.look();
  }

  says(message: unknown): void {
    line.receive(this, Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), false);
  }

  speaks(frame: Buffer): void {
    line.receive(this, frame, true);
  }

  types(): unknown[] {
    return this.messages.map(({ type, status }) => (type === 'status' ? status : type));
  }

  until(is: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ is, resolve });
      this.look();
    });
  }

  private look(): void {
    for (const { is, resolve } of this.waiting) if (is()) resolve();
  }
}

let page: Page;

const loud = (fill: number): Buffer => Buffer.alloc(640, fill);

beforeEach(async () => {
  dropped.length = 0;
  engine = await startTestEngine({ media: testMedia({ ports: { min: 31_800, max: 31_898 } }) });
  time = VirtualTime.start();
  const counts = { dropped: (way: string) => void dropped.push(way), buffered: () => undefined };
  line = new WebLine({ callId: 'c1', resumeToken: 'r1', format: 'l16', counts });
  page = new Page();
  line.connect(page);
  line.ready();
});

afterEach(async () => {
  await engine.close();
  await time.stop();
});

function accept(recordTo?: string): void {
  leg = engine.inviteFromPage(line).accept({ legId: 'web', ...(recordTo !== undefined && { recordTo }) });
  ended = new Promise((resolve) => leg.on('ended', resolve));
}

async function answer(recordTo?: string): Promise<void> {
  accept(recordTo);
  const answered = new Promise<void>((resolve) => leg.on('answered', () => resolve()));
  leg.ring();
  leg.answer();
  await answered;
}

describe('a web call', () => {
  it('rings, is answered, and ends when the page hangs up', async () => {
    await answer();
    expect(page.messages[0]).toEqual({
      ...{ type: 'ready', call_id: 'c1', resume_token: 'r1', format: 'l16', frame_ms: 20 },
    });
    page.says({ type: 'hangup' });
    expect(await ended).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'caller' });
    await page.until(() => page.closedWith === 1000);
    expect(page.types()).toEqual(['ready', 'ringing', 'in_progress', 'ended']);
    expect(page.messages.at(-1)).toMatchObject({ status: 'completed', cause: 'normal_clearing' });
  });

  it('carries the audio of both sides unchanged, and records it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'web-'));
    await answer(join(folder, 'call.wav'));
    const media = mediaOf(leg);
    const heard = new Promise<Buffer>((resolve) => {
      media.onFrame((_frame, wide) => wide?.[0] === 7 && resolve(wide));
    });
    page.speaks(loud(7));
    expect(await heard).toEqual(loud(7));
    media.write(loud(9), undefined, 'L16');
    await page.until(() => page.frames.some((frame) => frame.equals(loud(9))));
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({
      cause: 'agent_hangup',
      endedBy: 'agent',
      recording: { path: expect.any(String) },
    });
    await rm(folder, { recursive: true });
  });

  it('sends keys both ways', async () => {
    await answer();
    const keys: string[] = [];
    const both = new Promise<void>((resolve) => leg.on('dtmf', (digit) => keys.push(digit) === 2 && resolve()));
    page.says({ type: 'dtmf', digits: '7#' });
    await both;
    expect(keys).toEqual(['7', '#']);
    await leg.sendDtmf('42');
    expect(page.messages.filter(({ type }) => type === 'dtmf')).toEqual([
      { type: 'dtmf', digit: '4' },
      { type: 'dtmf', digit: '2' },
    ]);
  });

  it('tells the page to drop what it has not played when the agent is interrupted', async () => {
    await answer();
    const media = mediaOf(leg);
    media.write(Buffer.alloc(640 * 100, 9), undefined, 'L16');
    const sent = (): number => page.frames.filter((frame) => frame[0] === 9).length;
    await page.until(() => sent() === 10);
    page.says({ type: 'played', ms: 40 });
    await page.until(() => sent() === 15);
    page.says({ type: 'played', ms: 140 });
    const { playedMs, droppedMs } = media.flush();
    // 160 ms are on their way to the ear; the packet in the socket may be one more.
    expect(playedMs + droppedMs).toBe(2_000);
    expect(Math.abs(playedMs - 140)).toBeLessThanOrEqual(20);
    await page.until(() => page.types().includes('clear'));
    expect(sent()).toBeLessThanOrEqual(17);
  });

  it('sends a second of silence, then none until the agent speaks', async () => {
    await answer();
    await page.until(() => page.frames.length === 50);
    const media = mediaOf(leg);
    await media.drained(1_000);
    expect(page.frames).toHaveLength(50);
    media.write(loud(9), undefined, 'L16');
    await page.until(() => page.frames.length === 51);
  });

  it('waits 10 s for a page that lost its connection, on hold, and goes on with the next connection', async () => {
    await answer();
    const holds: boolean[] = [];
    leg.on('hold', (isHeld) => holds.push(isHeld));
    const media = mediaOf(leg);
    media.write(Buffer.alloc(640 * 50, 9), undefined, 'L16');
    await page.until(() => page.frames.some((frame) => frame[0] === 9));
    line.closed(page);
    const before = media.queuedMs;
    const again = new Page();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(before - media.queuedMs).toBeLessThanOrEqual(20);
    line.connect(again);
    expect(again.types()).toEqual(['ready', 'in_progress']);
    await again.until(() => again.frames.some((frame) => frame[0] === 9));
    expect(again.types()).not.toContain('clear');
    expect(holds).toEqual([true, false]);
    line.closed(again);
    expect(await ended).toMatchObject({ status: 'completed', cause: 'media_timeout' });
  });

  it('goes on in another connection, which closes the first one', async () => {
    await answer();
    const again = new Page();
    line.connect(again);
    expect([page.closedWith, page.messages.at(-1)]).toMatchObject([4409, { type: 'error', code: 'taken_over' }]);
    page.says({ type: 'hangup' });
    await again.until(() => again.frames.length > 2);
    again.says({ type: 'hangup' });
    await ended;
  });

  it.each([
    ['a message that is no JSON', () => page.says('{'), 4400],
    ['keys that do not exist', () => page.says({ type: 'dtmf', digits: 'x' }), 4400],
    ['a negative position', () => page.says({ type: 'played', ms: -1 }), 4400],
    ['audio of another size', () => page.speaks(Buffer.alloc(320)), 4400],
    ['ten seconds of audio at once', () => Array.from({ length: 500 }, () => page.speaks(loud(1))), 4429],
  ])('closes the connection for %s, and the page may come back', async (_title, act, code) => {
    await answer();
    act();
    expect(page.closedWith).toBe(code);
    const again = new Page();
    line.connect(again);
    await again.until(() => again.frames.length > 0);
  });

  it('ignores messages of later versions', async () => {
    await answer();
    page.says({ type: 'later' });
    expect(page.closedWith).toBeUndefined();
  });

  it('closes a connection without a message for 30 s, and not one that only reports its position', async () => {
    await answer();
    for (let at = 0; at < 4; at++) {
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      page.says({ type: 'played', ms: 0 });
    }
    expect(page.closedWith).toBeUndefined();
    await page.until(() => page.closedWith === 4408);
  });

  it('that the page leaves before the answer was not answered', async () => {
    accept();
    leg.ring();
    page.says({ type: 'hangup' });
    expect(await ended).toMatchObject({ status: 'no_answer', cause: 'originator_cancel', endedBy: 'caller' });
  });

  it('that the page left before it became a leg ends at once', async () => {
    page.says({ type: 'hangup' });
    accept();
    expect(await ended).toMatchObject({ status: 'no_answer', cause: 'originator_cancel' });
  });

  it('drops frames for a page that does not read', async () => {
    await answer();
    page.bufferedAmount = 64_000;
    const { length } = page.frames;
    const media = mediaOf(leg);
    media.write(Buffer.alloc(6_400, 9), undefined, 'L16');
    await media.drained(0);
    expect(page.frames.length - length).toBeLessThanOrEqual(1);
    expect(dropped).toContain('to_page');
  });
});
