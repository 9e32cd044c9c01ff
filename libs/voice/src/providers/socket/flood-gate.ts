import type { Clock } from '../../clock.js';

/** Five minutes of speech, the longest answer, in frames of 20 ms and with its words: a server may send that at once. */
const MESSAGES = 30_000;
const BYTES = 32 * 1024 * 1024;
/** Speech is 50 frames and 11 KB a second. */
const MESSAGES_PER_MS = 0.2;
const BYTES_PER_MS = 256;

/**
 * How much a server may send over one connection: many times what a conversation needs. Beyond it something is wrong with it, and
 * its messages would take the processor and the memory of all calls of the thread.
 */
export class FloodGate {
  private messages = MESSAGES;
  private bytes = BYTES;
  private at: number;

  constructor(private readonly clock: Clock) {
    this.at = clock.now();
  }

  /** Counts a message. False: it is too much. */
  admits(bytes: number): boolean {
    const now = this.clock.now();
    const passedMs = now - this.at;
    this.at = now;
    this.messages = Math.min(MESSAGES, this.messages + passedMs * MESSAGES_PER_MS) - 1;
    this.bytes = Math.min(BYTES, this.bytes + passedMs * BYTES_PER_MS) - bytes;
    return this.messages >= 0 && this.bytes >= 0;
  }
}
