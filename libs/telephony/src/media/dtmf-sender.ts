import { eventsOfDigits } from './dtmf-digits.js';
import { FRAME_BYTES, FRAME_MS } from './media-port.js';

const TONE_FRAMES = 100 / FRAME_MS;
/** RFC 4733 §2.5.1.4: the last packet goes out three times, at the interval of the others. */
const END_PACKETS = 3;
/** 300 ms from the end of a tone to the next; two of the end packets fall into it. */
const GAP_FRAMES = 300 / FRAME_MS - (END_PACKETS - 1);
/** -10 dBm0, what phones send. */
const VOLUME = 10;

/** One tick's telephone event. `age` is the number of frames since the tone began: all its packets carry the timestamp of frame 0. */
export interface EventPacket {
  payload: Buffer;
  age: number;
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
  private readonly payload = Buffer.alloc(4);
  private frame = 0;
  private gap = 0;

  /** Resolves when the last end packet has been handed out. Rejects with InvalidDigits. */
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
    this.payload[0] = event;
    this.payload[1] = (isEnd ? 0x80 : 0) | VOLUME;
    this.payload.writeUInt16BE(Math.min(age + 1, TONE_FRAMES) * FRAME_BYTES, 2);
    if (this.frame === TONE_FRAMES - 1 + END_PACKETS) this.finishTone();
    return { payload: this.payload, age, marker: age === 0 };
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
