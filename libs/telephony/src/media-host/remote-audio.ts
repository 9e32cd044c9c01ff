import type { RtpStats } from '../media/media-port.js';
import type { RemoteMedia } from '../media/remote-media.js';
import { noStats } from '../media/no-stats.js';
import type { AudioTask } from './audio-task.js';
import type { MediaThread } from './media-thread.js';
import { NotInOneThread, type AudioEnd, type AudioListener, type Bridge, type LegAudio } from './media-host.js';
import { salvagedRecording } from './salvaged-recording.js';

/** The audio of a leg in another thread, seen from the signalling. */
export class RemoteAudio implements LegAudio {
  private readonly bridges = new Set<Bridge>();
  readonly whenEnded: Promise<AudioEnd>;
  private resolveEnded!: (end: AudioEnd) => void;
  private latest = noStats();
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

  bridge(other: LegAudio): Bridge {
    if (!(other instanceof RemoteAudio) || other.thread !== this.thread) throw new NotInOneThread();
    const part = this.thread.bridge([this.leg, other.leg]);
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

  /** From the thread: counters of a second. */
  refresh(stats: RtpStats): void {
    this.latest = stats;
  }

  /** From the thread: it is closed. */
  end(end: AudioEnd): void {
    this.latest = end.stats;
    this.resolveEnded(end);
  }

  /** The thread died. What it recorded so far plays. */
  async lose(): Promise<void> {
    const unexpected = !this.closing;
    this.closing = true;
    this.bridges.clear();
    if (unexpected) this.listener.onLost();
    this.end({ ...(await salvagedRecording(this.recordingTo)), stats: this.latest });
  }
}
