import type { Outcome } from '../engine/hangup-cause.js';
import { silentFrame } from '../media/codecs/g711.js';
import { FRAME_MS } from '../media/session/media-port.js';
import { CLOSE_CODES, endingOf, type PageErrorCode, pageMessageOf } from './page-messages.js';
import { PagePosition } from './page-position.js';
import type { PageFormat } from './web-relay.js';

/** The WebSocket to the page, or to the api that relays it. */
export interface PageConnection {
  send(data: string | Buffer): void;
  /** Bytes that the socket has not taken. */
  readonly bufferedAmount: number;
  close(code: number): void;
}

/** Who receives what the page does. */
interface PageListener {
  /** 20 ms of the page. False: too many of them. */
  frame(frame: Buffer, nowMs: number): boolean;
  digits(digits: string): void;
  hungUp(): void;
  /** The connection is lost; it may come back. */
  away(): void;
  /** The page is connected again. */
  back(): void;
  /** The page has not come back. */
  gone(): void;
  /** The page lives, without audio. */
  alive(): void;
  played(unplayedMs: number, isAdvancing: boolean): void;
}

/** Counts frames and looks at buffers, for metrics. */
export interface WebLineCounts {
  /** A frame was dropped: it came too late, or the connection to the page takes no more. */
  dropped(direction: 'from_page' | 'to_page'): void;
  /** What the page has not played. */
  buffered(ms: number): void;
}

interface WebLineOptions {
  callId: string;
  /** With which the page connects again. */
  resumeToken: string;
  format: PageFormat;
  counts: WebLineCounts;
}

const FRAME_BYTES: Record<PageFormat, number> = { l16: 640, pcmu: 160 };
/** A page that lost its connection has this time to come back. */
const AWAY_MS = 10_000;
/** A page sends audio, or at least its position. */
const SILENT_MS = 30_000;
const LOOK_MS = 5_000;
/** Audio that the connection has not taken: a second of L16. More would only be delay. */
const MAX_BUFFERED_BYTES = 32_000;
/** Silence is sent for a second, then nothing: the page plays silence by itself. */
const SILENT_FRAMES = 1_000 / FRAME_MS;

/** The page of one web call: its connection, which may be replaced, the messages, and the time that it may be away. */
export class WebLine {
  readonly format: PageFormat;
  readonly counts: WebLineCounts;
  private readonly position = new PagePosition();
  private connection: PageConnection | undefined;
  private listener: PageListener | undefined;
  private status: string | undefined;
  private wasConnected = false;
  private hasHungUp = false;
  private hasGone = false;
  private isOver = false;
  /** Of the connection; the marker of its first frame has no meaning. */
  private isFirstFrame = true;
  private silentFrames = 0;
  private heardAt = performance.now();
  private leaving: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;
  private readonly overListeners: (() => void)[] = [];

  constructor(private readonly options: WebLineOptions) {
    this.format = options.format;
    this.counts = options.counts;
  }

  get callId(): string {
    return this.options.callId;
  }

  get isConnected(): boolean {
    return this.connection !== undefined;
  }

  /** The page has hung up, or has not come back. */
  get isGone(): boolean {
    return this.hasHungUp || this.hasGone;
  }

  /** Attaches a connection, which replaces the one before. `receive` and `closed` take what it brings. */
  connect(connection: PageConnection): void {
    const before = this.connection;
    this.connection = connection;
    this.heardAt = performance.now();
    this.isFirstFrame = true;
    if (this.wasConnected) this.position.reconnected();
    this.wasConnected = true;
    clearTimeout(this.leaving);
    this.looking ??= setInterval(() => this.look(), LOOK_MS).unref();
    if (before) this.closeWith(before, 'taken_over', 'The call continues in another connection.');
    else if (this.status !== undefined) this.listener?.back();
    // At the first connection the call is not claimed yet.
    if (this.status !== undefined) this.sendReady();
  }

  /** The call is one of this dialer. */
  ready(): void {
    this.status ??= 'pending';
    if (this.connection) this.sendReady();
  }

  /** `ringing`, `in_progress`. */
  changeStatus(status: string): void {
    this.status = status;
    this.tell({ type: 'status', status });
  }

  /** `listener` is called when the call is over for the page. */
  onOver(listener: () => void): void {
    this.overListeners.push(listener);
  }

  /** The leg takes over; what the page has done before is passed on. */
  listen(listener: PageListener): void {
    this.listener = listener;
    if (this.hasHungUp) listener.hungUp();
    else if (this.hasGone) listener.gone();
  }

  /** A message of a connection. Those of a replaced one are ignored. */
  receive(connection: PageConnection, data: Buffer, isBinary: boolean): void {
    if (connection !== this.connection || this.isOver) return;
    this.heardAt = performance.now();
    if (isBinary) this.receiveFrame(data);
    else this.receiveMessage(data.toString());
  }

  /** A connection was closed. */
  closed(connection: PageConnection): void {
    if (connection === this.connection) this.leave();
  }

  /** 20 ms for the page. `isFirst`: the page drops what it has not played. */
  sendAudio(frame: Buffer, isFirst: boolean): void {
    const { connection } = this;
    if (!connection || this.isOver) return;
    const now = performance.now();
    if (isFirst && !this.isFirstFrame) this.clear(now);
    this.isFirstFrame = false;
    this.silentFrames = frame.equals(SILENCE[this.format]) ? this.silentFrames + 1 : 0;
    if (this.silentFrames > SILENT_FRAMES) return;
    if (connection.bufferedAmount > MAX_BUFFERED_BYTES) return this.counts.dropped('to_page');
    connection.send(frame);
    this.position.sent(now);
  }

  sendDigit(digit: string): void {
    this.tell({ type: 'dtmf', digit });
  }

  /** The call has ended. */
  end({ status, cause }: Pick<Outcome, 'status' | 'cause'>): void {
    if (this.isOver) return;
    this.tell({ type: 'ended', status, cause, message: endingOf(cause) });
    this.finish(1000);
  }

  /** The call does not take place. `message`: a sentence for a person. */
  refuse(code: PageErrorCode, message: string): void {
    if (this.isOver) return;
    this.tell({ type: 'error', code, message });
    this.finish(CLOSE_CODES[code]);
  }

  private finish(code: number): void {
    this.isOver = true;
    clearTimeout(this.leaving);
    clearInterval(this.looking);
    this.connection?.close(code);
    this.connection = undefined;
    for (const listener of this.overListeners) listener();
  }

  private receiveFrame(frame: Buffer): void {
    if (frame.length !== FRAME_BYTES[this.format]) return this.drop('bad_message', 'The audio has another format.');
    if (this.listener && !this.listener.frame(frame, this.heardAt))
      this.drop('limit', 'The page sends audio faster than it is spoken.');
  }

  private receiveMessage(text: string): void {
    const message = pageMessageOf(text);
    if (!message) return this.drop('bad_message', 'The page sent a message that the service does not understand.');
    if (message.type === 'played') this.follow(message.ms);
    else if (message.type === 'dtmf') this.listener?.digits(message.digits);
    else if (message.type === 'hangup') this.hangUp();
  }

  private follow(playedMs: number): void {
    const { unplayedMs, isAdvancing } = this.position.report(playedMs, this.heardAt);
    this.counts.buffered(unplayedMs);
    this.listener?.played(unplayedMs, isAdvancing);
  }

  private hangUp(): void {
    this.hasHungUp = true;
    this.listener?.hungUp();
  }

  private clear(nowMs: number): void {
    this.tell({ type: 'clear' });
    this.position.cleared(nowMs);
    // The page is idle until the next word: its next report shows what it has dropped.
    this.silentFrames = SILENT_FRAMES;
  }

  /** Closes the connection; the page may connect again. */
  private drop(code: PageErrorCode, message: string): void {
    const { connection } = this;
    if (!connection) return;
    this.closeWith(connection, code, message);
    this.leave();
  }

  private leave(): void {
    this.connection = undefined;
    if (this.isOver) return;
    this.listener?.away();
    this.leaving = setTimeout(() => {
      this.hasGone = true;
      this.listener?.gone();
    }, AWAY_MS);
  }

  private look(): void {
    if (!this.connection) return;
    if (performance.now() - this.heardAt > SILENT_MS)
      this.drop('no_frames', 'The page has sent nothing for 30 seconds.');
    else this.listener?.alive();
  }

  private sendReady(): void {
    const { callId, resumeToken, format } = this.options;
    this.tell({ type: 'ready', call_id: callId, resume_token: resumeToken, format, frame_ms: FRAME_MS });
    if (this.status !== 'pending') this.tell({ type: 'status', status: this.status });
  }

  private closeWith(connection: PageConnection, code: PageErrorCode, message: string): void {
    connection.send(JSON.stringify({ type: 'error', code, message }));
    connection.close(CLOSE_CODES[code]);
  }

  private tell(message: Record<string, unknown>): void {
    this.connection?.send(JSON.stringify(message));
  }
}

const SILENCE: Record<PageFormat, Buffer> = { l16: silentFrame('L16'), pcmu: silentFrame('PCMU') };
