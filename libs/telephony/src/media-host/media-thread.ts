import { type ErrorDescription, rebuildError } from '@app/common/thread-errors';
import { stat } from 'node:fs/promises';
import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';
import type { RecordingPause, RemoteMedia } from '../media/session/media-port.js';
import { emptyStats, type RtpStats } from '../media/rtp/rtp-stats.js';
import { MediaClosed } from '../media/session/media-session.js';
import { WAV_HEADER_BYTES } from '../media/session/wav-recorder.js';
import { AudioLost, type AudioTask, Mailbox } from './audio-task.js';
import { type AudioEnd, type AudioListener, type Bridge, type LegAudio, NotInOneThread } from './media-host.js';
import type { FromMediaThread, ToMediaThread } from './serve-media.js';

/** The start options of a media thread: a module that calls `serveMedia`, and its `workerData`. */
export interface ThreadSource {
  entry: URL;
  data: () => { workerData: unknown; transferList?: Transferable[] };
  execArgv?: WorkerOptions['execArgv'];
}

/** Another process has this port; another port may be free. */
export class PortTaken extends Error {}

/** `NoMediaPorts`: the thread was given the only port that it may use. */
const errorOf = (error: ErrorDescription): Error => rebuildError(error, { MediaClosed, NoMediaPorts: PortTaken });

interface Waiting<T> {
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

interface RunningTask extends Waiting<unknown> {
  deliver(message: unknown): void;
}

type Opened = Extract<FromMediaThread, { type: 'opened' }>;

/** Numbers for legs, tasks, bridges and requests; unique in the process. */
let lastNumber = 0;
const nextNumber = (): number => ++lastNumber;

/** The signalling's side of a worker thread with the audio of some legs. */
export class MediaThread {
  /** The id of the worker thread, for logs. */
  id = 0;
  /** Reports the end; without an error, `shutDown` requested it. */
  readonly ended: Promise<Error | undefined>;
  private worker!: Worker;
  private readonly legs = new Map<number, RemoteAudio>();
  private readonly opening = new Map<number, Waiting<Opened>>();
  private readonly tasks = new Map<number, RunningTask>();
  private readonly requests = new Map<number, Waiting<void>>();
  private readonly ready: Promise<void>;
  private isReady!: () => void;
  private hasEnded!: (error: Error | undefined) => void;
  private failure: Error | undefined;
  private leaving = false;
  private hasExited = false;
  private silentChecks = 0;

  constructor(private readonly source: ThreadSource) {
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    this.ended = new Promise((resolve) => (this.hasEnded = resolve));
  }

  /** False when it has ended or is ending. */
  get takesLegs(): boolean {
    return !this.hasExited && !this.leaving && this.failure === undefined;
  }

  /** The legs, including those that are being opened. */
  get load(): number {
    return this.legs.size + this.opening.size;
  }

  /** Starts the worker. Resolves when it accepts legs; rejects when it ended instead. */
  async start(): Promise<void> {
    const { entry, data, execArgv } = this.source;
    const worker = new Worker(entry, { ...data(), ...(execArgv && { execArgv }) });
    this.worker = worker;
    this.id = worker.threadId;
    worker.on('message', (message: FromMediaThread) => this.take(message));
    worker.on('error', (error: Error) => (this.failure = error));
    worker.once('exit', (code) => this.hasEnded(this.exited(code)));
    const failed = this.ended.then((error) => {
      throw error ?? new AudioLost();
    });
    await Promise.race([this.ready, failed]);
    failed.catch(() => undefined);
  }

  /** Rejects with PortTaken, AudioLost or its bind error. */
  async open(socket: { legId: string; port: number; isLocal: boolean }, listener: AudioListener): Promise<RemoteAudio> {
    const leg = nextNumber();
    const opened = await this.waitFor<Opened>(this.opening, leg, { type: 'open', leg, ...socket });
    const audio = new RemoteAudio(leg, opened.localAddress, opened.localPort, this, listener);
    if (this.hasExited) throw new AudioLost();
    this.legs.set(leg, audio);
    return audio;
  }

  post(message: ToMediaThread): void {
    if (!this.hasExited) this.worker.postMessage(message);
  }

  sendDtmf(leg: number, digits: string): Promise<void> {
    const request = nextNumber();
    return this.waitFor<void>(this.requests, request, { type: 'send_dtmf', leg, request, digits });
  }

  pauseRecording(leg: number, isPaused: boolean, by?: RecordingPause): Promise<void> {
    const request = nextNumber();
    return this.waitFor<void>(this.requests, request, { type: 'pause_recording', leg, request, isPaused, by });
  }

  attach(leg: number, kind: string, init: unknown): AudioTask {
    const task = nextNumber();
    const mailbox = new Mailbox();
    const done = new Promise<unknown>((resolve, reject) => {
      if (this.hasExited) return reject(new AudioLost());
      this.tasks.set(task, { resolve, reject, deliver: (message) => mailbox.deliver(message) });
      this.post({ type: 'attach', leg, task, kind, init });
    });
    // The thread logs the failures of its tasks, so a caller need not await `done`.
    done.catch(() => undefined);
    return {
      post: (message) => this.post({ type: 'task', task, message }),
      onMessage: (listener) => mailbox.listen(listener),
      done,
    };
  }

  bridge(legs: [number, number], isConference: boolean): () => void {
    const bridge = nextNumber();
    this.post({ type: 'bridge', bridge, legs, isConference });
    return () => this.post({ type: 'part', bridge });
  }

  /** True when no message arrived during `checks` calls of this method: the thread is blocked. */
  isSilent(checks: number): boolean {
    return ++this.silentChecks > checks;
  }

  /** Ends the thread when its recordings are finished, and terminates it after `limitMs`. */
  async shutDown(limitMs: number): Promise<void> {
    this.leaving = true;
    this.post({ type: 'shutdown' });
    const timer = setTimeout(() => void this.worker.terminate(), limitMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends the thread like a crash. */
  terminate(reason: Error): void {
    this.failure ??= reason;
    void this.worker.terminate();
  }

  private waitFor<T>(map: Map<number, Waiting<T>>, id: number, message: ToMediaThread): Promise<T> {
    if (this.hasExited) return Promise.reject(new AudioLost());
    return new Promise((resolve, reject) => {
      map.set(id, { resolve, reject });
      this.post(message);
    });
  }

  private take(message: FromMediaThread): void {
    this.silentChecks = 0;
    switch (message.type) {
      case 'ready':
        return this.isReady();
      case 'opened':
        return taken(this.opening, message.leg)?.resolve(message);
      case 'not_opened':
        return taken(this.opening, message.leg)?.reject(errorOf(message.error));
      case 'pressed':
        return this.legs.get(message.leg)?.listener.onDtmf(message.digit, message.durationMs);
      case 'timeout':
        return this.legs.get(message.leg)?.listener.onTimeout(message.final);
      case 'dtmf_sent':
      case 'recording_set':
        return settle(
          taken(this.requests, message.request),
          'error' in message && message.error ? errorOf(message.error) : undefined,
        );
      case 'task':
        return this.tasks.get(message.task)?.deliver(message.message);
      case 'task_done':
        return taken(this.tasks, message.task)?.resolve(message.value);
      case 'task_failed':
        return taken(this.tasks, message.task)?.reject(errorOf(message.error));
      case 'closed':
        return taken(this.legs, message.leg)?.end(message.end);
      case 'stats':
        for (const [leg, stats] of message.legs) this.legs.get(leg)?.refresh(stats);
    }
  }

  /** The thread has ended: rejects every pending request and ends its legs. */
  private exited(code: number): Error | undefined {
    this.hasExited = true;
    for (const waiting of [...this.opening.values(), ...this.requests.values(), ...this.tasks.values()])
      waiting.reject(new AudioLost());
    for (const audio of this.legs.values()) void audio.threadDied();
    for (const map of [this.opening, this.requests, this.tasks, this.legs]) map.clear();
    if (this.leaving) return undefined;
    return this.failure ?? new Error(`The media thread ended with code ${code}.`);
  }
}

function taken<T>(map: Map<number, T>, id: number): T | undefined {
  const value = map.get(id);
  map.delete(id);
  return value;
}

function settle(waiting: Waiting<void> | undefined, error: Error | undefined): void {
  if (error) waiting?.reject(error);
  else waiting?.resolve();
}

/** The signalling's side of the audio of a leg in another thread. */
export class RemoteAudio implements LegAudio {
  private readonly bridges = new Set<Bridge>();
  readonly whenEnded: Promise<AudioEnd>;
  private resolveEnded!: (end: AudioEnd) => void;
  private latest = emptyStats();
  private recordingTo: string | undefined;
  private closing = false;

  constructor(
    readonly leg: number,
    readonly localAddress: string,
    readonly localPort: number,
    private readonly thread: MediaThread,
    readonly listener: AudioListener,
  ) {
    this.whenEnded = new Promise((resolve) => (this.resolveEnded = resolve));
  }

  start(remote: RemoteMedia): void {
    this.thread.post({ type: 'start', leg: this.leg, remote });
  }

  record(path: string): void {
    this.recordingTo = path;
    this.thread.post({ type: 'record', leg: this.leg, path });
  }

  pauseRecording(isPaused: boolean, by?: RecordingPause): Promise<void> {
    return this.thread.pauseRecording(this.leg, isPaused, by);
  }

  setPlayed(unplayedMs: number, isAdvancing: boolean): void {
    this.thread.post({ type: 'played', leg: this.leg, unplayedMs, isAdvancing });
  }

  receiveDigit(digit: string, durationMs: number): void {
    this.thread.post({ type: 'digit', leg: this.leg, digit, durationMs });
  }

  sendDtmf(digits: string): Promise<void> {
    return this.thread.sendDtmf(this.leg, digits);
  }

  stats(): RtpStats {
    return this.latest;
  }

  attach(kind: string, init: unknown): AudioTask {
    return this.thread.attach(this.leg, kind, init);
  }

  bridge(other: LegAudio, isConference = false): Bridge {
    if (!(other instanceof RemoteAudio) || other.thread !== this.thread) throw new NotInOneThread();
    const part = this.thread.bridge([this.leg, other.leg], isConference);
    const bridge = {
      release: () => {
        if (!this.bridges.delete(bridge)) return;
        other.bridges.delete(bridge);
        part();
      },
    };
    this.bridges.add(bridge);
    other.bridges.add(bridge);
    return bridge;
  }

  close(): Promise<AudioEnd> {
    if (this.closing) return this.whenEnded;
    this.closing = true;
    for (const bridge of this.bridges) bridge.release();
    this.thread.post({ type: 'close', leg: this.leg });
    return this.whenEnded;
  }

  /** A message of the thread: the counters of a second. */
  refresh(stats: RtpStats): void {
    this.latest = stats;
  }

  /** A message of the thread: the leg is closed. */
  end(end: AudioEnd): void {
    this.latest = end.stats;
    this.resolveEnded(end);
  }

  /** The thread died. The recording up to this moment is playable. */
  async threadDied(): Promise<void> {
    const unexpected = !this.closing;
    this.closing = true;
    this.bridges.clear();
    if (unexpected) this.listener.onLost();
    this.end({ ...(await recoverRecording(this.recordingTo)), stats: this.latest });
  }
}

/** Stereo, 16 bit, 8 kHz. */
const BYTES_PER_MS = 32;

/** The recording of a dead thread: its header is at most some seconds behind, and players read to the end of the file. */
async function recoverRecording(path: string | undefined): Promise<Omit<AudioEnd, 'stats'>> {
  if (path === undefined) return {};
  const recordingError = 'The recording ends early: its media thread failed.';
  try {
    const { size } = await stat(path);
    const durationMs = Math.floor((size - WAV_HEADER_BYTES) / BYTES_PER_MS);
    return durationMs > 0 ? { recording: { path, bytes: size, durationMs }, recordingError } : { recordingError };
  } catch {
    // The thread died before the first second was written.
    return { recordingError };
  }
}
