import { metrics } from '@app/metrics';
import { type RawData, WebSocket } from 'ws';
import { endSocket, SOCKET_CODES } from './socket-closing.js';

/** What a client has not read: more than three seconds of stereo audio. Then it is disconnected, and the call goes on. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** What the dialer has not read. The client is not read meanwhile. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** Messages of a client: twice the 50 frames of a second and 20 texts, with what a stalled network may send at once. */
const MESSAGES_PER_SECOND = 120;
const MAX_BURST = 600;

interface RelayOptions {
  /** In metrics. */
  route: 'web_call' | 'listen';
  /** A text of the dialer, which the client gets as well. */
  dialerText?: (text: string) => void;
  /** The dialer closed the connection, with 1006 when it was lost. Returns the code for the page, at once or when it got its last messages. */
  dialerClosed: (code: number) => number | Promise<number>;
  /** The client is gone, or was disconnected. */
  pageClosed?: () => void;
}

/**
 * Passes the frames of a client to the dialer of its call and back, unchanged. Neither side waits in memory for the other: a client that
 * does not read is disconnected, and one that sends more than it may as well.
 */
export class FrameRelay {
  private budget = MAX_BURST;
  private countedAt = performance.now();
  private isClosed = false;

  constructor(
    private readonly page: WebSocket,
    /** Open, and paused. */
    private readonly dialer: WebSocket,
    private readonly options: RelayOptions,
  ) {
    page.on('message', (data, isBinary) => this.fromPage(data as Buffer, isBinary));
    page.once('close', (code) => this.pageClosed(code));
    dialer.on('message', (data, isBinary) => {
      if (!isBinary) options.dialerText?.((data as Buffer).toString());
      this.toPage(data, isBinary);
    });
    dialer.once('close', (code) => void this.dialerClosed(code));
    dialer.resume();
  }

  /** A message of the api itself. */
  send(message: Record<string, unknown>): void {
    this.toPage(JSON.stringify(message), false);
  }

  /** Ends both connections. */
  close(code: number): void {
    if (this.isClosed) return;
    this.isClosed = true;
    endSocket(this.dialer, code);
    endSocket(this.page, code);
  }

  private fromPage(data: Buffer, isBinary: boolean): void {
    if (this.isClosed || this.dialer.readyState !== WebSocket.OPEN) return;
    if (!this.isWithinBudget()) return this.refuse('too_many_messages', 'The page sent more audio than a call has.');
    metrics.socketBytes.inc({ route: this.options.route, direction: 'in' }, data.length);
    this.dialer.send(data, { binary: isBinary }, () => this.resumePage());
    if (this.dialer.bufferedAmount > MAX_UNSENT_BYTES) this.page.pause();
  }

  private resumePage(): void {
    if (this.page.isPaused && this.dialer.bufferedAmount <= MAX_UNSENT_BYTES) this.page.resume();
  }

  private toPage(data: RawData | string, isBinary: boolean): void {
    if (this.isClosed || this.page.readyState !== WebSocket.OPEN) return;
    if (this.page.bufferedAmount > MAX_UNREAD_BYTES) {
      // The close frame waits behind what the client does not read.
      this.close(SOCKET_CODES.slow);
      return;
    }
    const bytes = typeof data === 'string' ? data.length : (data as Buffer).length;
    metrics.socketBytes.inc({ route: this.options.route, direction: 'out' }, bytes);
    this.page.send(data, { binary: isBinary });
  }

  private isWithinBudget(): boolean {
    const now = performance.now();
    const earned = ((now - this.countedAt) / 1_000) * MESSAGES_PER_SECOND;
    this.budget = Math.min(MAX_BURST, this.budget + earned) - 1;
    this.countedAt = now;
    return this.budget >= 0;
  }

  private refuse(code: string, message: string): void {
    this.send({ type: 'error', code, message });
    this.close(SOCKET_CODES.limit);
  }

  private pageClosed(code: number): void {
    this.options.pageClosed?.();
    if (this.isClosed) return;
    this.isClosed = true;
    endSocket(this.dialer, passed(code, SOCKET_CODES.restart));
  }

  private async dialerClosed(code: number): Promise<void> {
    const final = await this.options.dialerClosed(code);
    this.close(passed(final, SOCKET_CODES.restart));
  }
}

/** A code that may be sent (RFC 6455 §7.4.1): 1005 and 1006 stand for connections that ended without one. */
const passed = (code: number, otherwise: number): number =>
  code === 1000 || code === 1012 || (code >= 4000 && code <= 4999) ? code : otherwise;
