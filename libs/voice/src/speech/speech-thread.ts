import { describeError, type ErrorDescription, rebuildError } from '@app/common/thread-errors';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { NoSpeechProgram, type ProgramRequest } from './program-voice.js';
import { type ClipSource, Synthesiser } from './synthesiser.js';
import type { Voice } from './voice.js';

interface SpeechThreadOptions {
  /** The module that exports the built-in voice, as `builtInVoice`: voices cannot be sent to a thread. */
  builtInVoice: URL;
  /** The thread ended unexpectedly; from then on all other threads use the built-in voice. */
  onDeath: (error: Error) => void;
}

/** The start options of the thread (`speech-worker.ts`). */
export interface SpeechWorkerData {
  /** Address of a module that exports the built-in voice as `builtInVoice`. */
  builtInVoice: string;
}

/** One thread that synthesises speech for all others: synthesis takes milliseconds at a time, and no RTP packet may wait for it. */
export class SpeechThread {
  private closing = false;

  private constructor(private readonly worker: Worker) {}

  static start({ builtInVoice, onDeath }: SpeechThreadOptions): SpeechThread {
    const workerData: SpeechWorkerData = { builtInVoice: builtInVoice.href };
    const thread = new SpeechThread(new Worker(new URL('./speech-worker.js', import.meta.url), { workerData }));
    thread.watch(onDeath);
    return thread;
  }

  /** Opens a channel to the thread; the returned end is for a `RemoteSpeechClient` in any thread. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.worker.postMessage(port2, [port2]);
    return port1;
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.worker.terminate();
  }

  private watch(onDeath: (error: Error) => void): void {
    let failure: Error | undefined;
    this.worker.on('error', (error: Error) => (failure = error));
    this.worker.once('exit', (code) => {
      if (!this.closing) onDeath(failure ?? new Error(`The speech thread ended with code ${code}.`));
    });
  }
}

interface Waiting {
  /** Synthesises the same in this thread. */
  locally: (local: ClipSource) => Promise<Int16Array>;
  resolve: (clip: Int16Array) => void;
  reject: (error: Error) => void;
}

/** Requests sentences from the speech thread; after that has ended, synthesises them in this thread with the built-in voice. */
export class RemoteSpeechClient implements ClipSource {
  private readonly waiting = new Map<number, Waiting>();
  private local: ClipSource | undefined;
  private lastId = 0;

  private constructor(
    private readonly port: MessagePort,
    private readonly builtIn: Voice,
  ) {}

  /** `port`: an end of a channel to the speech thread. `builtIn`: synthesises in this thread after the other one has ended. */
  static connect(port: MessagePort, builtIn: Voice): RemoteSpeechClient {
    const client = new RemoteSpeechClient(port, builtIn);
    port.on('message', (response: ClipResponse) => client.take(response));
    port.on('close', () => client.useLocalVoice());
    // An open channel must not keep the process running.
    port.unref();
    return client;
  }

  clip(sentence: string, language: string | undefined): Promise<Int16Array> {
    if (this.local) return this.local.clip(sentence, language);
    return this.ask({ id: ++this.lastId, sentence, language }, (local) => local.clip(sentence, language));
  }

  async program(request: ProgramRequest, signal: AbortSignal): Promise<Int16Array> {
    signal.throwIfAborted();
    if (this.local) return this.local.program(request, signal);
    const id = ++this.lastId;
    const samples = this.ask({ id, program: request }, (local) => local.program(request, signal));
    const abort = (): void => {
      const message: ClipRequest = { id, abort: true };
      this.port.postMessage(message);
      this.waiting.get(id)?.reject(signal.reason as Error);
      this.waiting.delete(id);
    };
    signal.addEventListener('abort', abort, { once: true });
    return samples.finally(() => signal.removeEventListener('abort', abort));
  }

  private ask(request: ClipRequest, locally: Waiting['locally']): Promise<Int16Array> {
    return new Promise((resolve, reject) => {
      this.waiting.set(request.id, { locally, resolve, reject });
      this.port.postMessage(request);
    });
  }

  private take(response: ClipResponse): void {
    const waiting = this.waiting.get(response.id);
    this.waiting.delete(response.id);
    if ('clip' in response) waiting?.resolve(response.clip);
    else waiting?.reject(rebuildError(response.error, { NoSpeechProgram }));
  }

  private useLocalVoice(): void {
    const local = new Synthesiser([this.builtIn]);
    this.local = local;
    for (const { locally, resolve, reject } of this.waiting.values()) locally(local).then(resolve, reject);
    this.waiting.clear();
  }
}

/** The speech thread's end of a channel: synthesises what the client requests. */
export function serveClips(port: MessagePort, clips: ClipSource): void {
  const programs = new Map<number, AbortController>();
  const work = (request: Exclude<ClipRequest, { abort: true }>): Promise<Int16Array> => {
    if (!('program' in request)) return clips.clip(request.sentence, request.language);
    const running = new AbortController();
    programs.set(request.id, running);
    return clips.program(request.program, running.signal).finally(() => programs.delete(request.id));
  };
  port.on('message', (request: ClipRequest) => {
    const { id } = request;
    if ('abort' in request) return programs.get(id)?.abort();
    const answer = (message: ClipResponse): void => port.postMessage(message);
    work(request).then(
      (clip) => answer({ id, clip }),
      (error: unknown) => answer({ id, error: describeError(error) }),
    );
  });
  port.on('close', () => programs.forEach((running) => running.abort()));
}

/** Message from a client to the speech thread. */
type ClipRequest =
  | { id: number; sentence: string; language: string | undefined }
  | { id: number; program: ProgramRequest }
  /** Ends the program of this request, which gets no response. */
  | { id: number; abort: true };

type ClipResponse = { id: number; clip: Int16Array } | { id: number; error: ErrorDescription };
