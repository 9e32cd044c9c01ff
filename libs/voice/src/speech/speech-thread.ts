import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';

/** One thread that speaks for all others: synthesis takes milliseconds at a time, and no packet may wait for it. */
export class SpeechThread {
  private readonly worker = new Worker(new URL('./speech-worker.js', import.meta.url));
  private closing = false;

  /** `onDeath`: it ended by itself; from then on every thread speaks with the built-in voice. */
  constructor(onDeath: (error: Error) => void) {
    let failure: Error | undefined;
    this.worker.on('error', (error: Error) => (failure = error));
    this.worker.once('exit', (code) => {
      if (!this.closing) onDeath(failure ?? new Error(`The speech thread ended with code ${code}.`));
    });
  }

  /** An end of a channel to it, for `RemoteSpeechClient` in any thread. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.worker.postMessage(port2, [port2]);
    return port1;
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.worker.terminate();
  }
}
