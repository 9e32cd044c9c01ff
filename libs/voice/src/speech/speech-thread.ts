import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';

/** One thread that synthesises speech for all others: synthesis takes milliseconds at a time, and no RTP packet may wait for it. */
export class SpeechThread {
  private closing = false;

  private constructor(private readonly worker: Worker) {}

  /** `onDeath`: the thread ended unexpectedly; from then on every thread synthesises with the built-in voice. */
  static start(onDeath: (error: Error) => void): SpeechThread {
    const thread = new SpeechThread(new Worker(new URL('./speech-worker.js', import.meta.url)));
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
