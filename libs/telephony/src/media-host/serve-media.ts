import { describeError, type ErrorDescription } from '@app/common/thread-errors';
import { setFlagsFromString } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import type { MediaOptions } from '../media/session/media-session.types.js';
import type { RecordingPause, RemoteMedia } from '../media/session/media-port.js';
import type { RtpStats } from '../media/rtp/rtp-stats.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
import type { AudioTask, TaskKinds } from './audio-task.js';
import { type LocalAudio, LocalMediaHost } from './local-media-host.js';
import type { AudioEnd, Bridge } from './media-host.js';
import { enterRealTimeClass } from './real-time-class.js';

const STATS_MS = 1_000;
/** The counters of a tenth of the legs at a time: those of 600 legs at once took milliseconds, in which no packet left. */
const STATS_PARTS = 10;

/** The scheduling class of media threads. `auto`: real time where the process may, without a warning where it may not. */
type MediaPriority = 'auto' | 'realtime' | 'normal';

export interface MediaThreadOptions {
  priority: MediaPriority;
  /** The pool assigns the ports one by one. */
  media: Omit<MediaOptions, 'recordTo' | 'ports'>;
  tasks: TaskKinds;
  log: SipLog;
}

/** Runs a media thread: the audio of its legs, controlled by the pool in the signalling thread over `port`. */
export function serveMedia(port: MessagePort, options: MediaThreadOptions): void {
  // Scavenging is a millisecond of work here. Shared among V8's helper threads it waits for the slowest of them to get a processor,
  // and on a busy machine that took five, in which no packet left.
  setFlagsFromString('--no-parallel-scavenge');
  const thread = new MediaThreadHost(port, options);
  port.on('message', (message: ToMediaThread) => thread.take(message));
  thread.begin();
  void prioritise(options);
}

async function prioritise({ priority, log }: MediaThreadOptions): Promise<void> {
  if (priority === 'normal') return;
  try {
    await enterRealTimeClass();
    log.debug('a media thread runs in the real-time class', {});
  } catch (error) {
    const level = priority === 'realtime' ? 'warn' : 'debug';
    log[level]('a media thread cannot run in the real-time class', { error: describeError(error).message });
  }
}

class MediaThreadHost {
  private readonly host: LocalMediaHost;
  private readonly legs = new Map<number, LocalAudio>();
  private readonly tasks = new Map<number, AudioTask>();
  private readonly bridges = new Map<number, Bridge>();
  private statsTimer: NodeJS.Timeout | undefined;
  private statsPart = 0;

  constructor(
    private readonly port: MessagePort,
    options: MediaThreadOptions,
  ) {
    this.host = new LocalMediaHost({ ...options, media: { ...options.media, ports: { min: 0, max: 0 } } });
  }

  begin(): void {
    this.statsTimer = setInterval(() => this.postStats(), STATS_MS / STATS_PARTS);
    this.send({ type: 'ready' });
  }

  take(message: ToMediaThread): void {
    switch (message.type) {
      case 'open':
        return void this.open(message);
      case 'start':
        return this.legs.get(message.leg)?.start(message.remote);
      case 'record':
        return this.legs.get(message.leg)?.record(message.path);
      case 'pause_recording':
        void this.legs.get(message.leg)?.pauseRecording(message.isPaused, message.by);
        return this.send({ type: 'recording_set', request: message.request });
      case 'digit':
        return this.legs.get(message.leg)?.receiveDigit(message.digit, message.durationMs);
      case 'played':
        return this.legs.get(message.leg)?.setPlayed(message.unplayedMs, message.isAdvancing);
      case 'send_dtmf':
        return void this.sendDtmf(message);
      case 'attach':
        return void this.attach(message);
      case 'task':
        return this.tasks.get(message.task)?.post(message.message);
      case 'bridge':
        return this.bridge(message);
      case 'part':
        this.bridges.get(message.bridge)?.release();
        this.bridges.delete(message.bridge);
        return;
      case 'close':
        return void this.close(message.leg);
      case 'shutdown':
        return void this.shutDown();
    }
  }

  private send(message: FromMediaThread): void {
    this.port.postMessage(message);
  }

  private async open({ leg, legId, port, isLocal }: Extract<ToMediaThread, { type: 'open' }>): Promise<void> {
    try {
      const listener = {
        onDtmf: (digit: string, durationMs: number) => this.send({ type: 'pressed', leg, digit, durationMs }),
        onTimeout: (final: boolean) => this.send({ type: 'timeout', leg, final }),
        onLost: () => undefined,
      };
      const audio = await this.host.open({ legId, isLocal }, listener, { min: port, max: port + 1 });
      this.legs.set(leg, audio);
      this.send({ type: 'opened', leg, localAddress: audio.localAddress, localPort: audio.localPort });
    } catch (error) {
      this.send({ type: 'not_opened', leg, error: describeError(error) });
    }
  }

  private async sendDtmf({ leg, request, digits }: Extract<ToMediaThread, { type: 'send_dtmf' }>): Promise<void> {
    try {
      await this.legs.get(leg)?.sendDtmf(digits);
      this.send({ type: 'dtmf_sent', request });
    } catch (error) {
      this.send({ type: 'dtmf_sent', request, error: describeError(error) });
    }
  }

  private async attach({ leg, task: id, kind, init }: Extract<ToMediaThread, { type: 'attach' }>): Promise<void> {
    try {
      const task = this.legs.get(leg)!.attach(kind, init);
      this.tasks.set(id, task);
      task.onMessage((message) => this.send({ type: 'task', task: id, message }));
      this.send({ type: 'task_done', task: id, value: await task.done });
    } catch (error) {
      this.send({ type: 'task_failed', task: id, error: describeError(error) });
    } finally {
      this.tasks.delete(id);
    }
  }

  private bridge({ bridge, legs, isConference }: Extract<ToMediaThread, { type: 'bridge' }>): void {
    const [a, b] = legs.map((leg) => this.legs.get(leg));
    if (a && b) this.bridges.set(bridge, a.bridge(b, isConference));
  }

  private async close(leg: number): Promise<void> {
    const end = await this.legs.get(leg)!.close();
    this.legs.delete(leg);
    this.send({ type: 'closed', leg, end });
  }

  private async shutDown(): Promise<void> {
    clearInterval(this.statsTimer);
    await this.host.close();
    this.port.close();
  }

  private postStats(): void {
    const part = this.statsPart++ % STATS_PARTS;
    const legs = [...this.legs].filter(([leg]) => leg % STATS_PARTS === part);
    if (legs.length > 0 || part === 0)
      this.send({ type: 'stats', legs: legs.map(([leg, audio]) => [leg, audio.stats()]) });
  }
}

/** The signalling thread assigns the numbers `leg`, `task`, `bridge` and `request`, each once. */
export type ToMediaThread =
  | { type: 'open'; leg: number; legId: string; port: number; isLocal: boolean }
  | { type: 'start'; leg: number; remote: RemoteMedia }
  | { type: 'record'; leg: number; path: string }
  | { type: 'pause_recording'; leg: number; request: number; isPaused: boolean; by?: RecordingPause }
  | { type: 'digit'; leg: number; digit: string; durationMs: number }
  | { type: 'played'; leg: number; unplayedMs: number; isAdvancing: boolean }
  | { type: 'send_dtmf'; leg: number; request: number; digits: string }
  | { type: 'attach'; leg: number; task: number; kind: string; init: unknown }
  | { type: 'task'; task: number; message: unknown }
  | { type: 'bridge'; bridge: number; legs: [number, number]; isConference: boolean }
  | { type: 'part'; bridge: number }
  | { type: 'close'; leg: number }
  /** Ends everything, then the thread. */
  | { type: 'shutdown' };

export type FromMediaThread =
  | { type: 'ready' }
  | { type: 'opened'; leg: number; localAddress: string; localPort: number }
  | { type: 'not_opened'; leg: number; error: ErrorDescription }
  | { type: 'pressed'; leg: number; digit: string; durationMs: number }
  | { type: 'timeout'; leg: number; final: boolean }
  | { type: 'dtmf_sent'; request: number; error?: ErrorDescription }
  | { type: 'recording_set'; request: number }
  | { type: 'task'; task: number; message: unknown }
  | { type: 'task_done'; task: number; value: unknown }
  | { type: 'task_failed'; task: number; error: ErrorDescription }
  | { type: 'closed'; leg: number; end: AudioEnd }
  /** Of each leg once a second; also shows that the thread is running. */
  | { type: 'stats'; legs: [leg: number, stats: RtpStats][] };
