import type { RawData, WebSocket } from 'ws';
import { type ListenerFormat, silentStereo, VoiceFrames, voiceFrameBytes } from './listener-audio.js';

/** What a listener may ask for. */
const LISTENER_REQUESTS = ['take_over', 'hand_back', 'whisper', 'end_whisper'] as const;
export type ListenerRequest = (typeof LISTENER_REQUESTS)[number];

/** Close codes of the sockets of calls. */
export const CLOSE_CODES = {
  ended: 1_000,
  badMessage: 4_400,
  notAllowed: 4_403,
  noSuchCall: 4_404,
  limit: 4_429,
} as const;

/** A listener that is further behind is disconnected, as milliseconds of audio in this process. */
const MAX_BEHIND_MS = 300;
const FRAMES_PER_SECOND = 50;
/** Frames may arrive in bursts, but not faster than this over some seconds. */
const MAX_VOICE_RATE = 2 * FRAMES_PER_SECOND;
const MAX_BURST = 2 * MAX_VOICE_RATE;
/** Of text messages a second. */
const MAX_MESSAGES = 20;

interface ConnectionListener {
  request(request: ListenerRequest): void;
  /** 20 ms of L16, 640 bytes. */
  voice(audio: Uint8Array): void;
  closed(): void;
}

/** The socket of one listener: frames and messages in both directions. */
export class ListenerConnection {
  private readonly voice: VoiceFrames;
  private readonly maxBuffered: number;
  private frames = new Allowance(MAX_VOICE_RATE, MAX_BURST);
  private messages = new Allowance(MAX_MESSAGES, MAX_MESSAGES);
  private isOver = false;

  constructor(
    private readonly socket: WebSocket,
    readonly format: ListenerFormat,
    private readonly listener: ConnectionListener,
  ) {
    this.voice = new VoiceFrames(format);
    this.maxBuffered = (MAX_BEHIND_MS / 20) * silentStereo(format).length;
    socket.on('message', (data, isBinary) => this.receive(data, isBinary));
    socket.on('close', () => this.over());
  }

  send(message: object): void {
    if (!this.isOver) this.socket.send(JSON.stringify(message));
  }

  /** A listener that does not read in time is disconnected: its frames must not pile up beside the call. */
  sendAudio(frame: Buffer): void {
    if (this.isOver) return;
    if (this.socket.bufferedAmount > this.maxBuffered) {
      this.socket.terminate();
      this.over();
    } else this.socket.send(frame);
  }

  /** A sentence for the person; the connection stays open. */
  sendError(code: string, message: string): void {
    this.send({ type: 'error', code, message });
  }

  refuse(close: number, code: string, message: string): void {
    this.sendError(code, message);
    this.socket.close(close);
    this.over();
  }

  /** The call has ended. */
  end(): void {
    this.send({ type: 'ended' });
    this.socket.close(CLOSE_CODES.ended);
    this.over();
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listener.closed();
  }

  private receive(data: RawData, isBinary: boolean): void {
    if (this.isOver) return;
    if (!Buffer.isBuffer(data)) return;
    if (isBinary) this.receiveVoice(data);
    else this.receiveText(data);
  }

  private receiveVoice(frame: Buffer): void {
    const size = voiceFrameBytes(this.format);
    if (frame.length !== size)
      return this.refuse(CLOSE_CODES.badMessage, 'bad_frame', `A frame of ${this.format} must have ${size} bytes.`);
    if (!this.frames.take())
      return this.refuse(CLOSE_CODES.badMessage, 'too_fast', 'Audio must not be sent faster than it is spoken.');
    this.listener.voice(this.voice.l16(frame));
  }

  private receiveText(text: Buffer): void {
    if (!this.messages.take())
      return this.refuse(CLOSE_CODES.badMessage, 'too_fast', 'Too many messages were sent in a second.');
    const type = typeIn(text.toString());
    if (type === undefined)
      return this.refuse(CLOSE_CODES.badMessage, 'bad_message', 'A message must be a JSON object with a type.');
    const request = LISTENER_REQUESTS.find((one) => one === type);
    if (request) this.listener.request(request);
  }
}

/** The type of a JSON message; undefined: it has none. */
function typeIn(text: string): string | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const type = typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined;
  }
}

/** A token bucket. */
class Allowance {
  private left: number;
  private at = performance.now();

  constructor(
    private readonly perSecond: number,
    private readonly most: number,
  ) {
    this.left = most;
  }

  take(): boolean {
    const now = performance.now();
    this.left = Math.min(this.most, this.left + ((now - this.at) * this.perSecond) / 1_000);
    this.at = now;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}
