import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { AudioLost, type AudioTask } from './audio-task.js';
import { Mailbox } from './mailbox.js';
import type { AudioListener } from './media-host.js';
import { RemoteAudio } from './remote-audio.js';
import { errorOf, type FromMediaThread, type ToMediaThread } from './thread-messages.js';

/** How a media thread is started: a module that calls `serveMedia`, and what it gets as its `workerData`. */
export interface ThreadSource {
  entry: URL;
  data: () => { workerData: unknown; transferList?: Transferable[] };
  execArgv?: WorkerOptions['execArgv'];
}

/** This port is taken by somebody else: another one may be free. */
export class PortTaken extends Error {}

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

/** A worker thread with the audio of some legs, seen from the signalling. */
export class MediaThread {
  /** Of the worker thread; names it in logs. */
  readonly id: number;
  /** How it ended; `shutDown` asked for it when there is no error. */
  readonly ended: Promise<Error | undefined>;
  private readonly worker: Worker;
  private readonly legs = new Map<number, RemoteAudio>();
  private readonly opening = new Map<number, Waiting<Opened>>();
  private readonly tasks = new Map<number, RunningTask>();
  private readonly requests = new Map<number, Waiting<void>>();
  private readonly ready: Promise<void>;
  private isReady!: () => void;
  private failure: Error | undefined;
  private leaving = false;
  private gone = false;
  private silentChecks = 0;

  constructor({ entry, data, execArgv }: ThreadSource) {
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    this.worker = new Worker(entry, { ...data(), ...(execArgv && { execArgv }) });
    this.id = this.worker.threadId;
    this.worker.on('message', (message: FromMediaThread) => this.take(message));
    this.worker.on('error', (error: Error) => (this.failure = error));
    this.ended = new Promise((resolve) => this.worker.once('exit', (code) => resolve(this.exited(code))));
  }

  /** False when it has ended, or is being ended. */
  get takesLegs(): boolean {
    return !this.gone && !this.leaving && this.failure === undefined;
  }

  /** Legs, also those that are just being opened. */
  get load(): number {
    return this.legs.size + this.opening.size;
  }

  /** Resolves when it takes legs. Rejects when it ended instead. */
  async whenReady(): Promise<void> {
    const failed = this.ended.then((error) => {
      throw error ?? new AudioLost();
    });
    await Promise.race([this.ready, failed]);
    failed.catch(() => undefined);
  }

  /** Rejects with PortTaken, AudioLost or its bind error. */
  async open(legId: string, port: number, listener: AudioListener): Promise<RemoteAudio> {
    const leg = nextNumber();
    const opened = await this.waitFor<Opened>(this.opening, leg, { type: 'open', leg, legId, port });
    const audio = new RemoteAudio(leg, opened.localAddress, opened.localPort, this, listener);
    if (this.gone) throw new AudioLost();
    this.legs.set(leg, audio);
    return audio;
  }

  post(message: ToMediaThread): void {
    if (!this.gone) this.worker.postMessage(message);
  }

  sendDtmf(leg: number, digits: string): Promise<void> {
    const request = nextNumber();
    return this.waitFor<void>(this.requests, request, { type: 'send_dtmf', leg, request, digits });
  }

  attach(leg: number, kind: string, init: unknown): AudioTask {
    const task = nextNumber();
    const mailbox = new Mailbox();
    const done = new Promise<unknown>((resolve, reject) => {
      if (this.gone) return reject(new AudioLost());
      this.tasks.set(task, { resolve, reject, deliver: (message) => mailbox.deliver(message) });
      this.post({ type: 'attach', leg, task, kind, init });
    });
    // The thread logs what fails in it; nobody has to wait for the end of a task.
    done.catch(() => undefined);
    return {
      post: (message) => this.post({ type: 'task', task, message }),
      onMessage: (listener) => mailbox.listen(listener),
      done,
    };
  }

  bridge(legs: [number, number]): () => void {
    const bridge = nextNumber();
    this.post({ type: 'bridge', bridge, legs });
    return () => this.post({ type: 'part', bridge });
  }

  /** True when it has said nothing for `checks` calls of this, which are seconds apart: it hangs. */
  isSilent(checks: number): boolean {
    return ++this.silentChecks > checks;
  }

  /** Ends it when its recordings are finished, and by force after `limitMs`. */
  async shutDown(limitMs: number): Promise<void> {
    this.leaving = true;
    this.post({ type: 'shutdown' });
    const timer = setTimeout(() => void this.worker.terminate(), limitMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it as if it had crashed. */
  kill(reason: Error): void {
    this.failure ??= reason;
    void this.worker.terminate();
  }

  private waitFor<T>(map: Map<number, Waiting<T>>, id: number, message: ToMediaThread): Promise<T> {
    if (this.gone) return Promise.reject(new AudioLost());
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
        return taken(this.opening, message.leg)?.reject(
          message.portTaken ? new PortTaken(message.error.message) : errorOf(message.error),
        );
      case 'pressed':
        return this.legs.get(message.leg)?.listener.onDtmf(message.digit, message.durationMs);
      case 'timeout':
        return this.legs.get(message.leg)?.listener.onTimeout(message.final);
      case 'dtmf_sent':
        return settle(taken(this.requests, message.request), message.error && errorOf(message.error));
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

  /** The one end of the thread: whoever waits for something of it learns so. */
  private exited(code: number): Error | undefined {
    this.gone = true;
    for (const waiting of [...this.opening.values(), ...this.requests.values(), ...this.tasks.values()])
      waiting.reject(new AudioLost());
    for (const audio of this.legs.values()) void audio.lose();
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
