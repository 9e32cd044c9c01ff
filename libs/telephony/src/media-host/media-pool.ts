import { EventEmitter, once } from 'node:events';
import { NoMediaPorts, type PortRange, RtpPortPool } from '../media/rtp/rtp-port-pool.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
import { AudioLost } from './audio-task.js';
import type { AudioListener, LegAudio, MediaHost, OpenAudio } from './media-host.js';
import { MediaThread, PortTaken, type RemoteAudio, type ThreadSource } from './media-thread.js';

export interface MediaPoolOptions {
  threads: number;
  source: ThreadSource;
  /** Shared by the threads and assigned here, so that each port is used once and reused as late as possible. */
  ports: PortRange;
  /** A thread without a message for this long is blocked and is terminated. 10,000 when absent. */
  silentMs?: number;
  log: SipLog;
}

/** First delay before a thread that failed to start is retried; doubles up to half a minute. */
const RESTART_MS = 500;
const MAX_RESTART_MS = 30_000;

/** Far more than the second between two reports of a thread's counters. */
const SILENT_MS = 10_000;
/** Silence is counted in checks of this thread: when this thread was blocked, messages are still queued. */
const SILENT_CHECKS = 5;

const SHUTDOWN_MS = 15_000;

/** How long a leg waits for a new thread when the only thread has died. */
const THREAD_WAIT_MS = 3_000;

/** The audio of legs in worker threads: a blocked signalling thread delays no packet, and a thread that dies takes only its own calls. */
export class MediaPool implements MediaHost {
  private readonly threads = new Set<MediaThread>();
  private readonly threadOf = new WeakMap<LegAudio, MediaThread>();
  private readonly ports: RtpPortPool;
  private readonly restarts = new Set<NodeJS.Timeout>();
  private readonly started = new EventEmitter<{ thread: [MediaThread] }>();
  private silenceCheck: NodeJS.Timeout | undefined;
  private closing = false;

  private constructor(private readonly options: MediaPoolOptions) {
    this.ports = new RtpPortPool(options.ports);
  }

  /** Resolves when every thread accepts legs. Rejects when one cannot start. */
  static async start(options: MediaPoolOptions): Promise<MediaPool> {
    const pool = new MediaPool(options);
    try {
      await Promise.all(Array.from({ length: options.threads }, () => pool.addThread()));
    } catch (error) {
      await pool.close();
      throw error;
    }
    pool.silenceCheck = setInterval(
      () => pool.terminateSilentThreads(),
      (options.silentMs ?? SILENT_MS) / SILENT_CHECKS,
    ).unref();
    return pool;
  }

  async open({ legId, near, isLocal = false }: OpenAudio, listener: AudioListener): Promise<LegAudio> {
    const thread = near ? this.threadOf.get(near) : (this.leastLoaded() ?? (await this.nextThread()));
    if (!thread) throw new AudioLost();
    for (let tries = this.ports.count; tries > 0; tries--) {
      const port = this.ports.take();
      if (port === undefined) break;
      const audio = await this.openAt(thread, { legId, port, isLocal }, listener);
      if (audio) return audio;
    }
    throw new NoMediaPorts(this.options.ports);
  }

  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.silenceCheck);
    for (const timer of this.restarts) clearTimeout(timer);
    await Promise.all([...this.threads].map((thread) => thread.shutDown(SHUTDOWN_MS)));
  }

  private leastLoaded(): MediaThread | undefined {
    let least: MediaThread | undefined;
    for (const thread of this.threads) {
      if (thread.takesLegs && (!least || thread.load < least.load)) least = thread;
    }
    return least;
  }

  /** Undefined when no thread starts in time. */
  private async nextThread(): Promise<MediaThread | undefined> {
    if (this.closing) return undefined;
    try {
      const [thread] = await once(this.started, 'thread', { signal: AbortSignal.timeout(THREAD_WAIT_MS) });
      return thread as MediaThread;
    } catch {
      return undefined;
    }
  }

  /** Undefined when another process has the port. */
  private async openAt(
    thread: MediaThread,
    { legId, port, isLocal }: { legId: string; port: number; isLocal: boolean },
    listener: AudioListener,
  ): Promise<RemoteAudio | undefined> {
    try {
      const audio = await thread.open({ legId, port, isLocal }, listener);
      this.threadOf.set(audio, thread);
      // The sockets of the port are closed by then, also when the thread died.
      void audio.whenEnded.then(() => this.ports.add(port));
      return audio;
    } catch (error) {
      this.ports.add(port);
      if (error instanceof PortTaken) return undefined;
      throw error;
    }
  }

  private async addThread(): Promise<void> {
    const thread = new MediaThread(this.options.source);
    await thread.start();
    if (this.closing) return thread.shutDown(SHUTDOWN_MS);
    this.threads.add(thread);
    this.started.emit('thread', thread);
    void thread.ended.then((error) => this.replace(thread, error));
  }

  private replace(thread: MediaThread, error: Error | undefined): void {
    this.threads.delete(thread);
    if (!error || this.closing) return;
    this.options.log.warn('a media thread died and is replaced', { thread: thread.id, error: error.stack });
    this.restartThread(0);
  }

  private restartThread(waitMs: number): void {
    const timer = setTimeout(() => {
      this.restarts.delete(timer);
      this.addThread().catch((error: Error) => {
        this.options.log.warn('a media thread could not be started', { error: error.stack });
        if (!this.closing) this.restartThread(Math.min(MAX_RESTART_MS, waitMs === 0 ? RESTART_MS : waitMs * 2));
      });
    }, waitMs);
    this.restarts.add(timer);
  }

  private terminateSilentThreads(): void {
    for (const thread of this.threads) {
      if (thread.isSilent(SILENT_CHECKS)) thread.terminate(new Error('The media thread does not respond.'));
    }
  }
}
