import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker, type MessagePort } from 'node:worker_threads';
import type { RealtimeServer } from '@app/voice';
import { urlOf } from './sandbox-server.js';
import type { SandboxWorkerData } from './sandbox-worker.js';

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 5_000;

interface SandboxThreadOptions {
  /** A new port to the speech thread. */
  connectSpeech: () => MessagePort;
  /** The thread ended unexpectedly; another one is starting. */
  onDeath: (error: Error) => void;
}

/**
 * The sandbox server in its own thread: it parses every frame of every sandbox call, and no RTP packet may wait for that. When the thread
 * dies, another one starts at the same address, and calls reconnect.
 */
export class SandboxThread {
  private readonly key = randomBytes(32).toString('base64url');
  private port = 0;
  private delayMs = FIRST_DELAY_MS;
  private worker: Worker | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closing = false;

  private constructor(private readonly options: SandboxThreadOptions) {}

  /** Rejects when the server cannot start. */
  static async start(options: SandboxThreadOptions): Promise<SandboxThread> {
    const thread = new SandboxThread(options);
    await thread.begin();
    return thread;
  }

  /** For clients in any thread; never changes. */
  get access(): RealtimeServer {
    return { url: urlOf(this.port), key: this.key };
  }

  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.timer);
    await this.worker?.terminate();
  }

  private async begin(): Promise<void> {
    const speechPort = this.options.connectSpeech();
    const workerData: SandboxWorkerData = { speechPort, key: this.key, port: this.port };
    const entry = new URL('./sandbox-worker.js', import.meta.url);
    const worker = new Worker(entry, { workerData, transferList: [speechPort] });
    this.worker = worker;
    try {
      // Rejects when the thread fails first.
      const [port] = (await once(worker, 'message')) as [number];
      this.port = port;
      this.delayMs = FIRST_DELAY_MS;
      this.watch(worker);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  private watch(worker: Worker): void {
    let failure: Error | undefined;
    worker.on('error', (error: Error) => (failure = error));
    worker.once('exit', (code) => {
      if (this.closing) return;
      this.options.onDeath(failure ?? new Error(`The sandbox thread ended with code ${code}.`));
      this.beginAgain();
    });
  }

  private beginAgain(): void {
    this.timer = setTimeout(() => {
      this.begin().catch((error: Error) => {
        if (this.closing) return;
        this.options.onDeath(error);
        this.beginAgain();
      });
    }, this.delayMs);
    this.delayMs = Math.min(MAX_DELAY_MS, this.delayMs * 2);
  }
}
