import { setTimeout as delay } from 'node:timers/promises';
import { type MediaOptions, type MediaSession, openMediaSession } from '../media/media-session.js';
import type { RemoteMedia } from '../media/remote-media.js';
import type { RtpStats } from '../media/rtp-stats.js';
import type { RecordingOutcome } from '../media/wav-recorder.js';
import type { SipLog } from '../sip/sip-log.js';
import { bridgeAudio, registerBridge } from './audio-bridge.js';
import { type AudioTask, runLocalTask, type TaskKinds, UnknownAudioTask } from './audio-task.js';
import {
  type AudioEnd,
  type AudioListener,
  type Bridge,
  type LegAudio,
  type MediaHost,
  NotInOneThread,
  type OpenAudio,
} from './media-host.js';

export interface LocalMediaOptions {
  media: Omit<MediaOptions, 'recordTo'>;
  tasks: TaskKinds;
  log: SipLog;
}

/** How long tasks may run after the end of their audio. */
const TASKS_MS = 5_000;

/** Shared by all legs: creating an exception with its stack cost 3 % of a call's set-up. */
const OVER = new DOMException('The audio has ended.', 'AbortError');

/** The audio of legs in this thread: used inside a media thread and in processes without such threads. */
export class LocalMediaHost implements MediaHost {
  private readonly opened = new Set<LocalAudio>();
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly options: LocalMediaOptions) {}

  /** `ports`: other ones than the host's. */
  async open({ legId }: OpenAudio, listener: AudioListener, ports = this.options.media.ports): Promise<LocalAudio> {
    const session = await openMediaSession({ ...this.options.media, ports });
    session.onDtmf((digit, durationMs) => listener.onDtmf(digit, durationMs));
    session.onTimeout((final) => listener.onTimeout(final));
    const audio = new LocalAudio(legId, session, {
      ...this.options,
      started: (task) => this.follow(legId, task),
      closed: () => this.opened.delete(audio),
    });
    this.opened.add(audio);
    return audio;
  }

  /** Ends the remaining audio; resolves when the recordings are finished and the tasks have ended, after 5 s at the latest. */
  async close(): Promise<void> {
    await Promise.all([...this.opened].map((audio) => audio.close()));
    const limit = new AbortController();
    const late = delay(TASKS_MS, true, { signal: limit.signal }).catch(() => false);
    const inTime = Promise.all(this.running).then(() => false);
    if (await Promise.race([inTime, late]))
      this.options.log.warn('audio tasks did not end', { tasks: this.running.size });
    limit.abort();
  }

  private follow(legId: string, task: AudioTask): void {
    const ended = task.done.catch((error: unknown) => {
      this.options.log.warn('audio task failed', { leg_id: legId, error: String(error) });
    });
    this.running.add(ended);
    void ended.then(() => this.running.delete(ended));
  }
}

interface LocalAudioContext {
  tasks: TaskKinds;
  log: SipLog;
  started(task: AudioTask): void;
  closed(): void;
}

export class LocalAudio implements LegAudio {
  /** Signals the end of the audio to its tasks; created with the first task. */
  private over: AbortController | undefined;
  private ended = false;
  private readonly bridges = new Set<Bridge>();
  private closing: Promise<AudioEnd> | undefined;

  constructor(
    private readonly legId: string,
    private readonly session: MediaSession,
    private readonly context: LocalAudioContext,
  ) {}

  get localAddress(): string {
    return this.session.localAddress;
  }

  get localPort(): number {
    return this.session.localPort;
  }

  start(remote: RemoteMedia): void {
    this.session.start(remote);
  }

  record(path: string): void {
    this.session.record(path);
  }

  receiveDigit(digit: string, durationMs: number): void {
    this.session.receiveDigit(digit, durationMs);
  }

  sendDtmf(digits: string): Promise<void> {
    return this.session.sendDtmf(digits);
  }

  stats(): RtpStats {
    return this.session.stats();
  }

  attach(kind: string, init: unknown): AudioTask {
    const run = Object.hasOwn(this.context.tasks, kind) ? this.context.tasks[kind] : undefined;
    if (!run) throw new UnknownAudioTask(kind);
    const task = runLocalTask(run, this.session, init, this.signalOfEnd());
    this.context.started(task);
    return task;
  }

  bridge(other: LegAudio): Bridge {
    if (!(other instanceof LocalAudio)) throw new NotInOneThread();
    return registerBridge(bridgeAudio(this.session, other.session), [this.bridges, other.bridges]);
  }

  close(): Promise<AudioEnd> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private signalOfEnd(): AbortSignal {
    this.over ??= new AbortController();
    if (this.ended) this.over.abort(OVER);
    return this.over.signal;
  }

  private async shutDown(): Promise<AudioEnd> {
    for (const bridge of this.bridges) bridge.release();
    const outcome = await this.finishRecording();
    this.ended = true;
    this.over?.abort(OVER);
    this.context.closed();
    return { ...outcome, stats: this.session.stats() };
  }

  private async finishRecording(): Promise<Omit<AudioEnd, 'stats'>> {
    try {
      return recordingOf(await this.session.close());
    } catch (error) {
      // The call is over either way, and its `ended` event must be sent.
      this.context.log.warn('recording could not be finished', {
        leg_id: this.legId,
        error: (error as Error).message,
      });
      return { recordingError: 'The recording could not be finished.' };
    }
  }
}

/** The same for the end of a leg. */
export function recordingOf({ recording, recordingError }: RecordingOutcome): Omit<AudioEnd, 'stats'> {
  return { ...(recording && { recording }), ...(recordingError && { recordingError: lossOf(recordingError) }) };
}

/** For the record of the call: the system's error code, without paths. */
function lossOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return `The recording could not be written${code ? ` (${code})` : ''}.`;
}
