import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { SpeechWorkerData } from './speech-worker.js';

interface SpeechThreadOptions {
  /** The module that exports the built-in voice, as `builtInVoice`: voices cannot be sent to a thread. */
  builtInVoice: URL;
  /** The thread ended by itself; from then on every other thread speaks with the built-in voice. */
  onDeath: (error: Error) => void;
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
