import {
  decode,
  encode,
  type LineCodec,
  pcmBytes,
  pcmSamples,
  silentFrame,
  SpeechTiming,
  VoiceActivity,
  type VoiceEvent,
} from '@app/telephony';
import type { Log } from '@app/common';
import type { MessagePort } from 'node:worker_threads';

/** `voice`: the probability of voice. `clean`: the audio without noise. */
export type HearingTask = 'voice' | 'clean';

/** Message from a client to the hearing thread. Audio of all streams of a client travels together. */
export type ToHearing =
  | { type: 'open'; stream: number; task: HearingTask; rate: number }
  | { type: 'close'; stream: number }
  | { type: 'audio'; streams: number[]; frames: Int16Array[] };

/** `heard`: samples of the stream that have been processed. */
export type FromHearing =
  | { type: 'voice'; streams: number[]; heard: number[]; probabilities: number[] }
  | { type: 'clean'; stream: number; samples: Int16Array }
  /** The packages of this task are missing or failed. */
  | { type: 'unavailable'; task: HearingTask; reason: string };

/** Voice for `startMs` is speech (60 when absent), silence for `stopMs` ends it (400). */
export interface SpeechTimings {
  startMs?: number;
  stopMs?: number;
}

/** Detects the speech of one user, frame by frame. */
export interface SpeechDetector {
  push(frame: Buffer): VoiceEvent | undefined;
  readonly speaking: boolean;
  readonly speechMs: number;
  readonly silenceMs: number;
  /** Absent: nothing to release. */
  close?(): void;
}

/** Results older than this describe other audio than the current frame. */
const BEHIND_MS = 200;
/** A thread that is further behind gets no more audio, so that its queue stays small. */
const MAX_BEHIND_MS = 1_000;

interface StreamListener {
  voice?(probability: number): void;
  clean?(samples: Int16Array): void;
}

/** The connection of a thread with calls to the hearing thread. */
export class HearingClient {
  private readonly streams = new Map<number, HearingStream>();
  private readonly unavailable = new Set<HearingTask>();
  private readonly logged = new Set<string>();
  private outbox: { streams: number[]; frames: Int16Array[] } = { streams: [], frames: [] };
  private lastId = 0;
  private isLost = false;

  private constructor(
    private readonly port: MessagePort,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  static connect(port: MessagePort, log: Pick<Log, 'warn'>): HearingClient {
    const client = new HearingClient(port, log);
    port.on('message', (message: FromHearing) => client.take(message));
    port.on('close', () => client.lost());
    // An open channel must not keep the process running.
    port.unref();
    return client;
  }

  /** Detects speech by the neural model, and by energy while that has no current result. */
  voiceActivity(codec: LineCodec, timings: SpeechTimings): SpeechDetector {
    return new NeuralVoiceActivity(codec, timings, (listener) => this.open('voice', codec, listener));
  }

  noiseSuppressor(codec: LineCodec): NoiseSuppressor {
    return new NoiseSuppressor(codec, (listener) => this.open('clean', codec, listener));
  }

  private open(task: HearingTask, codec: LineCodec, listener: StreamListener): HearingStream {
    const id = ++this.lastId;
    const rate = codec === 'L16' ? 16_000 : 8_000;
    if (this.isLost) this.warnOfLoss();
    const stream = new HearingStream(rate, listener, {
      send: (samples) => this.send(id, samples),
      isUsable: () => !this.isLost && !this.unavailable.has(task),
      behind: () => this.warn(`${task} behind`, { task }, 'the hearing thread is behind'),
      close: () => this.close(id),
    });
    this.streams.set(id, stream);
    this.post({ type: 'open', stream: id, task, rate });
    return stream;
  }

  private close(id: number): void {
    if (this.streams.delete(id)) this.post({ type: 'close', stream: id });
  }

  /** The frames of all calls of this turn of the event loop leave together. */
  private send(id: number, samples: Int16Array): void {
    if (this.outbox.streams.length === 0) setImmediate(() => this.flush());
    this.outbox.streams.push(id);
    this.outbox.frames.push(samples);
  }

  private flush(): void {
    const { streams, frames } = this.outbox;
    this.outbox = { streams: [], frames: [] };
    this.post({ type: 'audio', streams, frames });
  }

  private post(message: ToHearing): void {
    if (!this.isLost) this.port.postMessage(message);
  }

  private take(message: FromHearing): void {
    if (message.type === 'voice')
      message.streams.forEach((id, i) => this.streams.get(id)?.voice(message.heard[i]!, message.probabilities[i]!));
    else if (message.type === 'clean') this.streams.get(message.stream)?.clean(message.samples);
    else this.refused(message);
  }

  private refused({ task, reason }: Extract<FromHearing, { type: 'unavailable' }>): void {
    this.unavailable.add(task);
    this.warn(`${task} unavailable`, { reason }, MISSING[task]);
  }

  private lost(): void {
    this.isLost = true;
    if (this.streams.size > 0) this.warnOfLoss();
  }

  private warnOfLoss(): void {
    this.warn('lost', {}, 'the hearing thread ended, energy detects the voice of users and noise is not suppressed');
  }

  /** Once per cause: every call of the thread would report it. */
  private warn(cause: string, fields: Record<string, unknown>, message: string): void {
    if (this.logged.has(cause)) return;
    this.logged.add(cause);
    this.log.warn(fields, message);
  }
}

const MISSING: Record<HearingTask, string> = {
  voice: 'neural voice activity is not available, energy detects the voice of users',
  clean: 'noise suppression is not available',
};

interface StreamConnection {
  send(samples: Int16Array): void;
  isUsable(): boolean;
  behind(): void;
  close(): void;
}

/** The audio of one call in one task. */
class HearingStream {
  private sent = 0;
  private heard = 0;
  private isAnswered = false;

  constructor(
    private readonly rate: number,
    private readonly listener: StreamListener,
    private readonly connection: StreamConnection,
  ) {}

  /** Returns whether the audio was sent: a thread that is far behind gets none. */
  push(samples: Int16Array): boolean {
    // The model is loaded with the first stream, which takes a moment.
    if (this.isAnswered && this.behindMs > BEHIND_MS) this.connection.behind();
    if (!this.connection.isUsable() || this.behindMs >= MAX_BEHIND_MS) return false;
    this.sent += samples.length;
    this.connection.send(samples);
    return true;
  }

  /** The latest result belongs to the current audio. */
  get isCurrent(): boolean {
    return this.isAnswered && this.behindMs <= BEHIND_MS && this.connection.isUsable();
  }

  voice(heard: number, probability: number): void {
    this.heard = heard;
    this.isAnswered = true;
    this.listener.voice?.(probability);
  }

  clean(samples: Int16Array): void {
    this.heard += samples.length;
    this.isAnswered = true;
    this.listener.clean?.(samples);
  }

  close(): void {
    this.connection.close();
  }

  private get behindMs(): number {
    return ((this.sent - this.heard) * 1_000) / this.rate;
  }
}

type OpenStream = (listener: StreamListener) => HearingStream;

/** Voice begins above the first probability and lasts above the second one. */
const VOICE_STARTS = 0.5;
const VOICE_LASTS = 0.4;
/** From a sound to the result about it: a window of 32 ms, and the model's own caution, which is greater at the beginning. */
const START_LAG_MS = 100;
const STOP_LAG_MS = 60;

/** Detects speech by a neural model in another thread; without a current result energy decides. */
class NeuralVoiceActivity extends SpeechTiming implements SpeechDetector {
  private readonly energy: VoiceActivity;
  private readonly stream: HearingStream;
  private isVoice = false;

  constructor(
    private readonly codec: LineCodec,
    timings: SpeechTimings,
    open: OpenStream,
  ) {
    super({ ...timings, startLagMs: START_LAG_MS, stopLagMs: STOP_LAG_MS });
    this.energy = new VoiceActivity(codec);
    this.stream = open({
      voice: (probability) => (this.isVoice = probability >= (this.isVoice ? VOICE_LASTS : VOICE_STARTS)),
    });
  }

  push(frame: Buffer): VoiceEvent | undefined {
    const isLoud = this.energy.isVoice(frame);
    this.stream.push(samplesOf(this.codec, frame));
    return this.take(this.stream.isCurrent ? this.isVoice : isLoud);
  }

  close(): void {
    this.stream.close();
  }
}

interface SuppressedFrame {
  frame: Buffer;
  clean?: Buffer;
}

/** Removes noise from the audio of one user, with a delay of 20 ms. */
export class NoiseSuppressor {
  private readonly stream: HearingStream;
  /** Sent frames without a result, in order. */
  private readonly awaited: SuppressedFrame[] = [];
  private latest: SuppressedFrame;

  constructor(
    private readonly codec: LineCodec,
    open: OpenStream,
  ) {
    this.latest = { frame: silentFrame(codec) };
    this.stream = open({ clean: (samples) => this.cleaned(samples) });
  }

  /** Takes the next 20 ms and returns those before it, unchanged when the thread was too slow. */
  pass(frame: Buffer): Buffer {
    const { latest } = this;
    this.latest = { frame };
    if (this.stream.push(samplesOf(this.codec, frame))) this.awaited.push(this.latest);
    return latest.clean ?? latest.frame;
  }

  close(): void {
    this.stream.close();
  }

  private cleaned(samples: Int16Array): void {
    const frame = this.awaited.shift();
    if (frame) frame.clean = this.codec === 'L16' ? Buffer.from(pcmBytes(samples)) : encode(this.codec, samples);
  }
}

/** In memory of their own: they are sent to another thread. */
const samplesOf = (codec: LineCodec, frame: Buffer): Int16Array =>
  codec === 'L16' ? Int16Array.from(pcmSamples(frame)) : decode(codec, frame);
