import type { WebSocket } from 'ws';
import type { LegFaults } from './leg-faults.js';

/** The longest reason of a close frame. */
const MAX_REASON_LENGTH = 123;

/** The server's end of an emulated leg's WebSocket, which produces its faults. */
export class LegConnection {
  private isStalled = false;
  /** Messages behind a delayed result; undefined: nothing is delayed. */
  private held: (() => void)[] | undefined;
  private timer: NodeJS.Timeout | undefined;
  private delayMs: number;

  /** `garbage`: a message that violates the protocol. */
  constructor(
    private readonly socket: WebSocket,
    private readonly faults: LegFaults,
    private readonly garbage: string,
  ) {
    this.delayMs = faults.delayMs;
  }

  send(message: object): void {
    this.inOrder(() => this.sendRaw(JSON.stringify(message)));
  }

  /** A result: the first one may be delayed, with all messages after it. */
  sendResult(message: object): void {
    if (this.delayMs > 0) this.hold();
    this.send(message);
  }

  /** Produces the faults that are due after this much received audio. */
  progressed(audioMs: number): void {
    for (let fault = this.faults.due(audioMs); fault; fault = this.faults.due(audioMs)) {
      if (fault === 'disconnect') this.socket.terminate();
      else if (fault === 'stall') this.isStalled = true;
      else this.sendRaw(this.garbage);
    }
  }

  /** Closes after the held messages; without a code, the close frame has none. */
  close(code?: number, reason = ''): void {
    this.release();
    if (!this.isStalled) this.socket.close(code, Buffer.from(reason).subarray(0, MAX_REASON_LENGTH).toString());
  }

  /** The connection is gone. */
  ended(): void {
    clearTimeout(this.timer);
    this.held = undefined;
  }

  private hold(): void {
    this.held = [];
    this.timer = setTimeout(() => this.release(), this.delayMs);
    this.delayMs = 0;
  }

  private release(): void {
    clearTimeout(this.timer);
    const held = this.held ?? [];
    this.held = undefined;
    for (const send of held) send();
  }

  private inOrder(send: () => void): void {
    if (this.held) this.held.push(send);
    else send();
  }

  private sendRaw(text: string): void {
    if (!this.isStalled && this.socket.readyState === this.socket.OPEN) this.socket.send(text);
  }
}
