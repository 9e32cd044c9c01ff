import { describe, expect, it } from '@jest/globals';
import { DtmfReceiver, DtmfSender, InvalidDigits } from './dtmf.js';
import { parseRtp } from '../rtp/rtp-packet.js';
import { RtpSender } from '../rtp/rtp-sender.js';

/** [ms, timestamp, event, end?, duration] */
type Event = [number, number, number, boolean, number];

function heard(events: Event[], lastTick: number): [string, number][] {
  const out: [string, number][] = [];
  const receiver = new DtmfReceiver((digit, durationMs) => out.push([digit, durationMs]));
  for (const [now, timestamp, event, end, duration] of events) {
    receiver.tick(now);
    const payload = Buffer.from([event, end ? 0x8a : 0x0a, duration >> 8, duration & 0xff]);
    receiver.receive({ payloadType: 101, marker: false, sequence: 0, timestamp, ssrc: 1, payload }, now);
  }
  receiver.tick(lastTick);
  return out;
}

const press = (at: number, timestamp: number, event: number): Event[] => [
  [at, timestamp, event, false, 160],
  [at + 20, timestamp, event, false, 320],
  [at + 40, timestamp, event, true, 480],
  [at + 60, timestamp, event, true, 480],
  [at + 80, timestamp, event, true, 480],
];

describe('received digits', () => {
  it.each<[string, Event[], [string, number][]]>([
    ['a key with three end packets counts once', press(0, 1_000, 5), [['5', 60]]],
    [
      'the same key twice counts twice',
      [...press(0, 1_000, 5), ...press(400, 4_200, 5)],
      [
        ['5', 60],
        ['5', 60],
      ],
    ],
    ['only one end packet arrived', press(0, 1_000, 11).slice(4), [['#', 60]]],
    ['all end packets lost: over after 120 ms', press(0, 1_000, 10).slice(0, 2), [['*', 40]]],
    [
      'all end packets lost: over when the next begins',
      [...press(0, 1_000, 1).slice(0, 2), ...press(100, 1_800, 2)],
      [
        ['1', 40],
        ['2', 60],
      ],
    ],
    [
      'end packets lost, late copies ignored',
      [...press(0, 1_000, 1).slice(0, 2), ...press(200, 1_000, 1)],
      [['1', 40]],
    ],
    [
      'the update overtakes the end',
      [...press(0, 1_000, 3).slice(2, 3), ...press(30, 1_000, 3).slice(0, 1)],
      [['3', 60]],
    ],
    ['A to D are keys', press(0, 1_000, 15), [['D', 60]]],
    ['a hook flash is not a key', press(0, 1_000, 16), []],
    [
      'a timestamp that wraps',
      [...press(0, 0xffffff00, 7), ...press(400, 160, 8)],
      [
        ['7', 60],
        ['8', 60],
      ],
    ],
  ])('%s', (_name, events, expected) => expect(heard(events, 5_000)).toEqual(expected));

  /** Packets every 20 ms; each segment ends at `segment` units, and the next one begins there. */
  function longPress(durationMs: number, { segment = 0xffff, isEndMarked = false } = {}): Event[] {
    const events: Event[] = [];
    for (let ms = 20; ms <= durationMs; ms += 20) {
      const [before, units] = [Math.floor((ms * 8 - 1) / segment) * segment, ms * 8];
      const isFirst = units - before <= 160;
      if (isFirst && before > 0) events.push([ms, 1_000 + before - segment, 5, isEndMarked, segment]);
      events.push([ms, 1_000 + before, 5, ms === durationMs, units - before]);
    }
    return events;
  }

  // RFC 4733 §2.5.1.3: the duration has 16 bits, so a longer event continues in another segment.
  it.each<[string, Event[], number]>([
    ['of 9 seconds', longPress(9_000), 9_000],
    ['of 20 seconds, with three segments', longPress(20_000), 20_000],
    ['with segments of whole packets', longPress(9_000, { segment: 65_440 }), 9_000],
    [
      'whose packet at the end of the segment is lost',
      longPress(9_000).filter(([, , , , units]) => units !== 0xffff),
      8_999,
    ],
  ])('a press %s counts once', (_, events, durationMs) => {
    const [press, ...others] = heard(events, 30_000);
    expect(others).toEqual([]);
    expect(press![0]).toBe('5');
    expect(Math.abs(press![1] - durationMs)).toBeLessThanOrEqual(1);
  });

  it('a press counts once when each of its segments has an end packet', () => {
    expect(heard(longPress(9_000, { isEndMarked: true }), 30_000).map(([digit]) => digit)).toEqual(['5']);
  });

  it('another key, or the same key again, is not the next segment of a long press', () => {
    const again = longPress(8_500).slice(-20);
    expect(heard([...press(0, 1_000, 5), ...again], 30_000).map(([digit]) => digit)).toEqual(['5', '5']);
    const other: Event[] = [...longPress(8_180), [8_200, 1_000 + 0xffff, 6, true, 160]];
    expect(heard(other, 30_000).map(([digit]) => digit)).toEqual(['5', '6']);
  });

  it('does not end a key that is still pressed', () => {
    const held: Event[] = Array.from({ length: 10 }, (_, i) => [i * 50, 1_000, 1, false, (i + 1) * 400]);
    expect(heard(held, 500)).toEqual([]);
  });
});

describe('sent digits', () => {
  it('last 100 ms, end with three packets, and follow each other after 300 ms', async () => {
    const sender = new DtmfSender();
    const sent = sender.send('1#');
    const frames = Array.from({ length: 30 }, () => {
      const event = sender.next();
      return (
        event && {
          digit: event.payload[0],
          end: event.payload[1] === 0x8a,
          duration: event.payload.readUInt16BE(2),
          marker: event.marker,
        }
      );
    });
    const tone = (digit: number) =>
      [160, 320, 480, 640, 800, 800, 800].map((duration, age) => ({
        digit,
        end: age >= 4,
        duration,
        marker: age === 0,
      }));
    expect(frames.slice(0, 7)).toEqual(tone(1));
    expect(frames.slice(7, 20)).toEqual(Array.from({ length: 13 }, () => undefined));
    expect(frames.slice(20, 27)).toEqual(tone(11));
    expect(frames.slice(27)).toEqual([undefined, undefined, undefined]);
    await sent;
  });

  it('are heard once each when the pacing skips frames in the middle of a tone', () => {
    const heardDigits: string[] = [];
    const receiver = new DtmfReceiver((digit) => heardDigits.push(digit));
    const stream = new RtpSender((packet, length) => {
      const parsed = parseRtp(packet.first(length));
      if (parsed) receiver.receive(parsed, 0);
    });
    const digits = new DtmfSender();
    void digits.send('11');
    for (let tick = 0; tick < 40; tick += 1) {
      stream.advance(tick % 3 === 0 ? 4 : 1);
      const event = digits.next();
      if (event) stream.sendEvent(101, event);
    }
    expect(heardDigits).toEqual(['1', '1']);
  });

  it('are rejected before sending when one is not a DTMF key', async () => {
    const sender = new DtmfSender();
    await expect(sender.send('12p')).rejects.toThrow(InvalidDigits);
    expect(sender.next()).toBeUndefined();
  });

  it('are rejected when the session ends before they are sent', async () => {
    const sender = new DtmfSender();
    const sent = sender.send('1');
    sender.fail(() => new Error('closed'));
    await expect(sent).rejects.toThrow('closed');
  });
});
