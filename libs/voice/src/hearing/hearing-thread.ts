import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

/**
 * One thread that runs the neural models of all calls: a model takes milliseconds for a batch of calls, and no RTP packet may wait for
 * it. It starts with the first call that needs it.
 */
export class HearingThread {
  private worker: Worker | undefined;
  private closing = false;
  /** The ends of channels for the thread that has not started. */
  private readonly ports: MessagePort[] = [];

  /** `onDeath`: the thread ended unexpectedly; its clients then do without it. */
  constructor(private readonly onDeath: (error: Error) => void) {}

  /** The returned end is for a `HearingClient` in any thread. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    if (this.worker) this.worker.postMessage(port2, [port2]);
    else this.ports.push(port2);
    return port1;
  }

  /** Does nothing when it has been started. */
  start(): void {
    if (this.worker || this.closing) return;
    const worker = new Worker(new URL('./hearing-worker.js', import.meta.url));
    this.worker = worker;
    this.watch(worker);
    for (const port of this.ports.splice(0)) worker.postMessage(port, [port]);
  }

  async close(): Promise<void> {
    this.closing = true;
    for (const port of this.ports.splice(0)) port.close();
    await this.worker?.terminate();
  }

  private watch(worker: Worker): void {
    let failure: Error | undefined;
    worker.on('error', (error: Error) => (failure = error));
    worker.once('exit', (code) => {
      if (!this.closing) this.onDeath(failure ?? new Error(`The hearing thread ended with code ${code}.`));
    });
  }
}
