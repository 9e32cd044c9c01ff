import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawData, WebSocket } from 'ws';

const PROTOCOL = 'trunkline.v1';
const FRAME_MS = 20;
/** 20 ms, 16 kHz mono, 16-bit. */
const SILENCE = Buffer.alloc(640);
const REPORT_EVERY_FRAMES = 5;
/** As long as a dialer keeps a call without its page. */
const RESUME_MS = 10_000;
const RETRY_MS = 250;
/** The connection was lost, or its process stops. */
const LOST = [1006, 1012];

export interface PageMessage {
  type: string;
  [name: string]: unknown;
}

interface Service {
  baseUrl: string;
}

/** The address and the token of an audio socket. */
interface Access {
  url: string;
  token: string;
}

/** A new web call, over the API. */
export async function createWebCall(
  { baseUrl }: Service,
  { token, agentId }: { token: string; agentId: number },
  order: object = {},
): Promise<Access & { callId: string }> {
  const response = await fetch(`${baseUrl}/api/v1/web-calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agentId, ...order }),
  });
  if (!response.ok) throw new Error(`POST /web-calls: ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: { call_id: string; url: string; token: string } };
  return { callId: data.call_id, url: data.url, token: data.token };
}

/** Opens an audio socket as pages do. @param options of `ws`, such as an authority */
export const openSocket = ({ url, token }: Access, options: object = {}): WebSocket =>
  new WebSocket(url, [PROTOCOL, `token.${token}`], { perMessageDeflate: false, ...options });

/**
 * A page in a web call, without a browser: it sends silence, plays what it hears, reports its position, and connects again when its
 * connection is lost.
 */
export class ResumingPage {
  readonly messages: PageMessage[] = [];
  /** When each frame of audio arrived (performance.now). */
  readonly heardAt: number[] = [];
  /** Code of the last connection. */
  closedWith: number | undefined;
  /** ms of each time without a connection. */
  readonly away: number[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly over = new AbortController();
  private nextAt = performance.now();
  private sent = 0;
  private socket!: WebSocket;

  private constructor(
    private readonly access: Access,
    private readonly options: object,
  ) {
    this.timer = setInterval(() => this.send(), 5);
  }

  /** @throws when the server refuses */
  static async open(access: Access, options: object = {}): Promise<ResumingPage> {
    const page = new ResumingPage(access, options);
    try {
      await page.connect(access.token);
      await page.until(({ type }) => type === 'ready');
    } catch (error) {
      page.end();
      throw error;
    }
    return page;
  }

  /** Waits for a message. */
  async until(isWanted: (message: PageMessage) => boolean): Promise<PageMessage> {
    for (;;) {
      const found = this.messages.find(isWanted);
      if (found) return found;
      if (this.over.signal.aborted) throw new Error(`The page was closed with ${this.closedWith}.`);
      await once(this.socket, 'message', { signal: this.over.signal }).catch(() => undefined);
      // A lost connection is replaced meanwhile.
      if (this.socket.readyState !== WebSocket.OPEN) await delay(20);
    }
  }

  /** Waits for so many more frames of audio. */
  async untilHeard(frames: number): Promise<void> {
    const wanted = this.heardAt.length + frames;
    while (this.heardAt.length < wanted) {
      if (this.over.signal.aborted) throw new Error(`The page was closed with ${this.closedWith}.`);
      await delay(20);
    }
  }

  /** Waits for the last close. @returns its code */
  async untilClosed(): Promise<number> {
    if (!this.over.signal.aborted) await once(this.over.signal, 'abort');
    return this.closedWith ?? 1006;
  }

  hangUp(): Promise<number> {
    this.socket.send(JSON.stringify({ type: 'hangup' }));
    return this.untilClosed();
  }

  /** Leaves without a word. */
  end(): void {
    clearInterval(this.timer);
    this.over.abort();
    this.socket?.terminate();
  }

  private async connect(token: string): Promise<void> {
    const socket = openSocket({ ...this.access, token }, this.options);
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data: RawData, isBinary) => {
      if (isBinary) this.heardAt.push(performance.now());
      else this.messages.push(JSON.parse((data as Buffer).toString('utf8')) as PageMessage);
    });
    const closed = once(socket, 'close').then(([code]) => code as number);
    const code = await Promise.race([once(socket, 'open').then(() => undefined), closed]);
    if (code !== undefined) throw new Error(`The connection was refused with ${code}.`);
    void closed.then((last) => this.closed(last));
  }

  private async closed(code: number): Promise<void> {
    if (this.over.signal.aborted) return;
    this.closedWith = code;
    const resume = this.messages.findLast(({ type }) => type === 'ready')?.resume_token;
    if (!LOST.includes(code) || typeof resume !== 'string') return this.end();
    const lostAt = performance.now();
    while (performance.now() - lostAt < RESUME_MS && !this.over.signal.aborted) {
      const isBack = await this.connect(resume).then(
        () => true,
        () => false,
      );
      if (isBack) {
        this.away.push(performance.now() - lostAt);
        return;
      }
      await delay(RETRY_MS);
    }
    this.end();
  }

  private send(): void {
    const now = performance.now();
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.nextAt = now;
      return;
    }
    for (; this.nextAt <= now; this.nextAt += FRAME_MS) {
      this.socket.send(SILENCE);
      if (++this.sent % REPORT_EVERY_FRAMES === 0)
        this.socket.send(JSON.stringify({ type: 'played', ms: this.heardAt.length * FRAME_MS }));
    }
  }
}
