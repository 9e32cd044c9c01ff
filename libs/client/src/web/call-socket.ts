import { type ConnectionEvent, type ConnectionState, firstConnection, nextConnection } from './connection-state.js';
import { messageOf, SUBPROTOCOL } from './messages.js';

/** An attempt without `ready` after this time has failed. */
const ATTEMPT_MS = 5_000;
/** Audio that the connection has not taken: half a second, then frames are dropped, because late speech helps nobody. */
const MAX_WAITING_BYTES = 16_000;

export interface CallSocketOptions<M> {
  url: string;
  /** The token of the next attempt; absent for a page that has a session with the service. */
  token: () => string | undefined;
  onMessage: (message: M) => void;
  onAudio: (frame: ArrayBuffer) => void;
  onState: (state: ConnectionState) => void;
}

/** The WebSocket of a call, which is opened again when it is lost. */
export class CallSocket<M extends { type: string }, C> {
  private state: ConnectionState | undefined;
  private socket: WebSocket | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: CallSocketOptions<M>) {}

  get isOpen(): boolean {
    return this.state?.name === 'open';
  }

  open(): void {
    this.enter(firstConnection(performance.now()));
  }

  send(message: C): void {
    if (this.isOpen) this.socket!.send(JSON.stringify(message));
  }

  /** Audio while there is no connection is lost. */
  sendAudio(frame: ArrayBuffer): void {
    if (this.isOpen && this.socket!.bufferedAmount < MAX_WAITING_BYTES) this.socket!.send(frame);
  }

  /** Ends the call from this side, without a further attempt. */
  close(): void {
    this.handle({ type: 'hang_up' });
  }

  private handle(event: ConnectionEvent): void {
    const { state } = this;
    if (!state) return;
    const next = nextConnection(state, event, performance.now());
    if (next !== state) this.enter(next);
  }

  private enter(state: ConnectionState): void {
    this.state = state;
    clearTimeout(this.timer);
    if (state.name === 'connecting') this.connect();
    else if (state.name !== 'open') this.drop();
    if (state.name === 'waiting')
      this.timer = setTimeout(() => this.handle({ type: 'retry' }), state.retryAt - performance.now());
    this.options.onState(state);
  }

  private connect(): void {
    const token = this.options.token();
    const protocols = token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `token.${token}`];
    const socket = new WebSocket(this.options.url, protocols);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== 'string') return this.options.onAudio(data);
      const message = messageOf(data) as M | undefined;
      if (!message) return;
      if (message.type === 'ready') this.handle({ type: 'ready' });
      this.options.onMessage(message);
    };
    socket.onclose = ({ code }) => this.handle({ type: 'closed', code });
    this.timer = setTimeout(() => this.handle({ type: 'closed', code: 1006 }), ATTEMPT_MS);
  }

  private drop(): void {
    if (!this.socket) return;
    this.socket.onmessage = null;
    this.socket.onclose = null;
    this.socket.close(1000);
    this.socket = undefined;
  }
}
