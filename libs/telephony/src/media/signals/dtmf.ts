import { type DtmfTransport, FRAME_BYTES, FRAME_MS } from '../session/media-port.js';
import { type RtpPacket, timestampDistance } from '../rtp/rtp-packet.js';

/** Event codes 0-15 of RFC 4733 §3.2, in order. */
const DIGITS = '0123456789*#ABCD';

/** Undefined for events that are not keys (flash, modem tones). */
export const digitOfEvent = (code: number): string | undefined => DIGITS[code];

/** Digits outside 0-9, *, # and A-D cannot be dialled as tones. */
export class InvalidDigits extends Error {
  constructor() {
    super('Only the digits 0-9, *, # and A-D can be sent as tones.');
  }
}

/** `12#` -> [1, 2, 11]. Throws InvalidDigits. */
export function eventsOfDigits(digits: string): number[] {
  return Array.from(digits.toUpperCase(), (digit) => {
    const code = DIGITS.indexOf(digit);
    if (code < 0) throw new InvalidDigits();
    return code;
  });
}

/** Senders repeat the event every 20 to 50 ms while the key is down; this much silence means that the end packets were lost. */
const LOST_END_MS = 120;

/** The largest duration of one packet; a longer press continues in another segment (RFC 4733 §2.5.1.3). */
const MAX_SEGMENT = 0xffff;
/** Segments end with the last packet that fits, or with the first that does not. */
const SEGMENT_TOLERANCE = LOST_END_MS * 8;

interface Press {
  /** Of its current segment. */
  timestamp: number;
  digit: string;
  /** Of the earlier segments and of the current one, in timestamp units of 1/8 ms. */
  earlier: number;
  duration: number;
  updatedAt: number;
}

/**
 * RFC 4733 telephone events -> one report per key press. All packets of a press share its timestamp, so packets may be lost, duplicated or
 * out of order; a press whose end packets are lost is over when the next begins or after 120 ms. A press of more than 8.19 s has several
 * segments, whose timestamps follow each other.
 */
export class DtmfReceiver {
  private current: Press | undefined;
  /** The last press that was reported; late copies of it are ignored. */
  private reported: Press | undefined;
  /** The timestamps were reset after it: only equal ones belong to it. */
  private isOfEarlierSource = false;

  constructor(private readonly report: (digit: string, durationMs: number) => void) {}

  receive(packet: RtpPacket, nowMs: number): void {
    if (packet.payload.length < 4) return;
    const digit = digitOfEvent(packet.payload.readUInt8(0));
    if (digit === undefined) return;
    const press = this.current ?? this.reported;
    if (press && continues(press, digit, packet.timestamp)) {
      press.earlier += timestampDistance(press.timestamp, packet.timestamp);
      Object.assign(press, { timestamp: packet.timestamp, duration: 0 });
    }
    if (this.isOld(packet.timestamp)) return;
    if (this.current && this.current.timestamp !== packet.timestamp) this.finish();
    this.current ??= { timestamp: packet.timestamp, digit, earlier: 0, duration: 0, updatedAt: nowMs };
    this.current.duration = Math.max(this.current.duration, packet.payload.readUInt16BE(2));
    this.current.updatedAt = nowMs;
    const isEnd = (packet.payload.readUInt8(1) & 0x80) !== 0;
    if (isEnd) this.finish();
  }

  /** Every 20 ms. */
  tick(nowMs: number): void {
    if (this.current && nowMs - this.current.updatedAt >= LOST_END_MS) this.finish();
  }

  /** A new or restarted source: its timestamps are unrelated to the old ones, except when it goes on with the same press. */
  reset(): void {
    this.finish();
    this.isOfEarlierSource = true;
  }

  private isOld(timestamp: number): boolean {
    if (this.current) return timestampDistance(this.current.timestamp, timestamp) < 0;
    if (!this.reported) return false;
    const distance = timestampDistance(this.reported.timestamp, timestamp);
    return this.isOfEarlierSource ? distance === 0 : distance <= 0;
  }

  private finish(): void {
    const press = this.current;
    if (!press) return;
    this.current = undefined;
    this.reported = press;
    this.isOfEarlierSource = false;
    this.report(press.digit, (press.earlier + press.duration) / 8);
  }
}

/** Whether a packet starts the next segment of the press. */
function continues(press: Press, digit: string, timestamp: number): boolean {
  const isEndOfSegment = (units: number): boolean => Math.abs(units - MAX_SEGMENT) <= SEGMENT_TOLERANCE;
  const distance = timestampDistance(press.timestamp, timestamp);
  return press.digit === digit && isEndOfSegment(press.duration) && isEndOfSegment(distance);
}

const TONE_FRAMES = 100 / FRAME_MS;
/** RFC 4733 §2.5.1.4: the last packet goes out three times, at the interval of the others. */
const END_PACKETS = 3;
/** 300 ms from the end of a tone to the next; two of the end packets fall into it. */
const GAP_FRAMES = 300 / FRAME_MS - (END_PACKETS - 1);
/** -10 dBm0, as phones send. */
const VOLUME = 10;

/** One tick's telephone event. All packets of a press carry the timestamp of its first one, which has the marker. */
export interface EventPacket {
  payload: Buffer;
  marker: boolean;
}

interface Request {
  events: number[];
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** Turns digits into RFC 4733 packets, one per 20 ms tick: tones of 100 ms, gaps of 300 ms between them. */
export class DtmfSender {
  private readonly requests: Request[] = [];
  private payload: Buffer | undefined;
  private frame = 0;
  private gap = 0;

  /** Resolves when the last end packet has been returned. Rejects with InvalidDigits. */
  async send(digits: string): Promise<void> {
    const events = eventsOfDigits(digits);
    if (events.length === 0) return;
    await new Promise<void>((resolve, reject) => this.requests.push({ events, resolve, reject }));
  }

  /** The event to send in this frame, or undefined when audio goes out. The payload is reused by the next call. */
  next(): EventPacket | undefined {
    if (this.gap > 0) {
      this.gap--;
      return undefined;
    }
    const event = this.requests[0]?.events[0];
    if (event === undefined) return undefined;
    const age = this.frame++;
    const isEnd = age >= TONE_FRAMES - 1;
    const payload = (this.payload ??= Buffer.alloc(4));
    payload[0] = event;
    payload[1] = (isEnd ? 0x80 : 0) | VOLUME;
    payload.writeUInt16BE(Math.min(age + 1, TONE_FRAMES) * FRAME_BYTES, 2);
    if (this.frame === TONE_FRAMES - 1 + END_PACKETS) this.finishTone();
    return { payload, marker: age === 0 };
  }

  fail(reason: () => Error): void {
    for (const request of this.requests.splice(0)) request.reject(reason());
  }

  private finishTone(): void {
    this.frame = 0;
    this.gap = GAP_FRAMES;
    const request = this.requests[0] as Request;
    request.events.shift();
    if (request.events.length > 0) return;
    this.requests.shift();
    request.resolve();
  }
}

/** Both messages of one press arrive within this time of the key; pressing the same key again sends another pair. */
const SAME_PRESS_MS = 1_000;

/** More keys than a user presses during one long press. */
const MAX_SINGLE = 32;

/** The keys of a call in one stream. Phones set to "RFC 2833 + SIP INFO" send every key twice; it is reported once. */
export class DtmfDeduplicator {
  /** Reported, but not yet received by the other method. */
  private readonly single: { digit: string; way: DtmfTransport; atMs: number }[] = [];

  constructor(private readonly report: (digit: string, durationMs: number, way: DtmfTransport) => void) {}

  press(way: DtmfTransport, digit: string, durationMs: number, nowMs: number): void {
    // Events and tones are received when the key goes up. An INFO is sent then or when it goes down, often with a constant duration.
    const downMs = way === 'signalling' ? nowMs : nowMs - durationMs;
    const twin = this.single.findIndex(
      (one) => one.digit === digit && one.way !== way && downMs - one.atMs < SAME_PRESS_MS,
    );
    if (twin >= 0) {
      this.single.splice(twin, 1);
      return;
    }
    if (this.single.length >= MAX_SINGLE) this.single.shift();
    this.single.push({ digit, way, atMs: nowMs });
    this.report(digit, durationMs, way);
  }
}
