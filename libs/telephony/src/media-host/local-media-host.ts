import { LiveSet } from '@app/common';
import { setTimeout as delay } from 'node:timers/promises';
import { ConferenceMixer } from '../media/session/conference-mixer.js';
import { decode, encode, transcode } from '../media/codecs/g711.js';
import type { MediaPort, RecordingPause, RemoteMedia, WirePort } from '../media/session/media-port.js';
import { openMediaSession } from '../media/session/media-session.js';
import type { MediaOptions, MediaSession } from '../media/session/media-session.types.js';
import type { RtpStats } from '../media/rtp/rtp-stats.js';
import type { RecordingOutcome } from '../media/session/wav-recorder.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
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

/** For a remote party in this process. */
const LOOPBACK = { bindAddress: '127.0.0.1', publicAddress: '127.0.0.1' };

/** Shared by all legs: creating an exception with its stack cost 3 % of a call's set-up. */
const OVER = new DOMException('The audio has ended.', 'AbortError');

/** The audio of legs in this thread: used inside a media thread and in processes without such threads. */
export class LocalMediaHost implements MediaHost {
  private readonly opened = new LiveSet<LocalAudio>();
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly options: LocalMediaOptions) {}

  /** `ports`: instead of those of the host. */
  async open(
    { legId, isLocal }: OpenAudio,
    listener: AudioListener,
    ports = this.options.media.ports,
  ): Promise<LocalAudio> {
    const { media, tasks, log } = this.options;
    const options = ports === media.ports ? media : { ...media, ports };
    const session = await openMediaSession(isLocal ? { ...options, ...LOOPBACK } : options);
    session.onDtmf((digit, durationMs) => listener.onDtmf(digit, durationMs));
    session.onTimeout((final) => listener.onTimeout(final));
    const audio = new LocalAudio(legId, session, {
      tasks,
      log,
      started: (task) => this.follow(legId, task),
      closed: () => remove(),
    });
    const remove = this.opened.add(audio);
    return audio;
  }

  /** Ends the remaining audio; resolves when the recordings are finished and the tasks have ended, after 5 s at the latest. */
  async close(): Promise<void> {
    await Promise.all(this.opened.values().map((audio) => audio.close()));
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

  pauseRecording(isPaused: boolean, by?: RecordingPause): Promise<void> {
    this.session.pauseRecording(isPaused, by);
    return Promise.resolve();
  }

  setPlayed(unplayedMs: number, isAdvancing: boolean): void {
    this.session.setPlayed(unplayedMs, isAdvancing);
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

  bridge(other: LegAudio, isConference = false): Bridge {
    if (!(other instanceof LocalAudio)) throw new NotInOneThread();
    const connect = isConference ? conferAudio : bridgeAudio;
    return registerBridge(connect(this.session, other.session), [this.bridges, other.bridges]);
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
    return Object.assign(outcome, { stats: this.session.stats() });
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

/** The end of the audio, for the leg. */
export function recordingOf({ recording, recordingError }: RecordingOutcome): Omit<AudioEnd, 'stats'> {
  return { ...(recording && { recording }), ...(recordingError && { recordingError: lossOf(recordingError) }) };
}

/** For the record of the call: the system's error code, without paths. */
function lossOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return `The recording could not be written${code ? ` (${code})` : ''}.`;
}

/** Bridges two calls in both directions, keys included. Returns a function that releases the bridge. */
export function bridgeAudio(a: MediaPort, b: MediaPort): () => void {
  const stops = [...forwardBoth(a, b), ...forwardBoth(b, a)];
  return () => stops.forEach((stop) => stop());
}

/** Adds the party of `guest` to the conversation of `line` with its agent. Returns a function that ends it. */
function conferAudio(line: MediaSession, guest: MediaSession): () => void {
  const mixer = new ConferenceMixer((samples) => {
    if (guest.queuedMs <= MAX_QUEUED_MS) guest.write(encode(guest.codec, samples));
  });
  line.confer(mixer);
  const stop = guest.onAudio((frame) => mixer.guestSpoke(decode(guest.codec, frame)));
  return () => {
    line.confer(undefined);
    stop();
  };
}

/** Registers a bridge with both sides until it is released. */
export function registerBridge(part: () => void, keepers: Set<Bridge>[]): Bridge {
  const bridge = {
    release: () => {
      part();
      for (const one of keepers) one.delete(bridge);
    },
  };
  for (const one of keepers) one.add(bridge);
  return bridge;
}

function forwardBoth(from: MediaPort, to: MediaPort): (() => void)[] {
  const stopKeys = from.onDtmf((digit, _durationMs, way) => {
    // Audible ones are in the audio already. The other leg may be closed.
    if (way !== 'audible') to.sendDtmf(digit).catch(() => undefined);
  });
  return [forwardAudio(from, to), stopKeys];
}

/** The remote clock may run faster than ours: audio beyond this queue length is dropped, so that no delay builds up. */
const MAX_QUEUED_MS = 120;

/**
 * Forwards the audio of `from` to `to` until the returned function is called. With the same codec on both wires payloads pass unchanged
 * (no decoding, wideband stays wideband); otherwise by way of L16 between two wideband wires, and of G.711, also when the codec changes
 * during the call.
 */
export function forwardAudio(from: MediaPort, to: MediaPort): () => void {
  let unchanged = false;
  const stopPayloads = forwardPayloads(from, to, (passed) => (unchanged = passed));
  const pass = (frame: Buffer, wide?: Buffer): void => {
    if (unchanged || to.queuedMs > MAX_QUEUED_MS) return;
    if (wide && to.wideband) to.write(wide, undefined, 'L16');
    else to.write(transcode(frame, from.codec, to.codec));
  };
  const stopFrames = hasWire(from) ? from.onAudio(pass) : from.onFrame(pass);
  return () => {
    stopPayloads();
    stopFrames();
  };
}

/** `passed` reports for each payload, before its frames, whether it was forwarded unchanged. */
function forwardPayloads(from: MediaPort, to: MediaPort, passed: (unchanged: boolean) => void): () => void {
  if (!hasWire(from) || !hasWire(to)) return () => undefined;
  return from.onPayload((payload, codec) => {
    passed(codec === to.wireCodec);
    if (codec === to.wireCodec && to.payloadsQueuedMs <= MAX_QUEUED_MS) to.writePayload(payload, codec);
  });
}

/** An external engine has only frames. */
const hasWire = (port: MediaPort): port is MediaPort & WirePort => 'wireCodec' in port;
