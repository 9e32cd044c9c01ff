import type { RecordingPause, RemoteMedia } from '../media/session/media-port.js';
import type { RtpStats } from '../media/rtp/rtp-stats.js';
import type { Recording } from '../media/session/wav-recorder.js';
import type { AudioTask } from './audio-task.js';

export interface OpenAudio {
  /** Names the leg in logs. */
  legId: string;
  /** Open it in the thread of this one, so that the two can be bridged. */
  near?: LegAudio;
  /** The remote party is in this process: the socket is on loopback. */
  isLocal?: boolean;
}

/** Events of a leg's audio. */
export interface AudioListener {
  /** A key of the remote party, by RFC 4733 or `receiveDigit`. */
  onDtmf(digit: string, durationMs: number): void;
  /** No packet from the remote party for some time; `final`: for too long, or the socket failed. See MediaSession.onTimeout. */
  onTimeout(final: boolean): void;
  /** The thread died and the audio is lost. `close` still resolves, with the last known counters. */
  onLost(): void;
}

export interface AudioEnd {
  recording?: Recording;
  /** A sentence for the record of the call: why the recording is missing or incomplete. */
  recordingError?: string;
  stats: RtpStats;
}

export interface Bridge {
  release(): void;
}

/** The audio of one leg, seen from the thread that does its signalling. */
export interface LegAudio {
  /** For the session description. */
  readonly localAddress: string;
  readonly localPort: number;
  /** See MediaSession.start. */
  start(remote: RemoteMedia): void;
  /** Records from now on to this path, a stereo WAV; the folder exists. */
  record(path: string): void;
  /**
   * See MediaPort.pauseRecording. Resolves when that is in effect; rejects with AudioLost.
   */
  pauseRecording(isPaused: boolean, by?: RecordingPause): Promise<void>;
  /** See MediaSession.setPlayed. */
  setPlayed(unplayedMs: number, isAdvancing: boolean): void;
  /** A key from the signalling. */
  receiveDigit(digit: string, durationMs: number): void;
  sendDtmf(digits: string): Promise<void>;
  /** At most about a second old. */
  stats(): RtpStats;
  attach(kind: string, init: unknown): AudioTask;
  /**
   * Bridges the audio of two legs until one of them ends or `release`; in a conference the tasks of this leg hear and speak with both.
   * @throws NotInOneThread unless one was opened `near` the other
   */
  bridge(other: LegAudio, isConference?: boolean): Bridge;
  /** Ends the audio and finishes the recording. Never rejects; every call has the same result. */
  close(): Promise<AudioEnd>;
}

/** Hosts the audio of legs: in this thread, or in a pool of worker threads. */
export interface MediaHost {
  /** Opens the sockets of one leg; sending begins with `start`. Rejects with NoMediaPorts, or the bind error. */
  open(options: OpenAudio, listener: AudioListener): Promise<LegAudio>;
  /** Closes the remaining legs; resolves when every recording is finished. */
  close(): Promise<void>;
}

/** Audio of two threads cannot be bridged: frames never cross threads. */
export class NotInOneThread extends Error {
  constructor() {
    super('The audio of the two legs is not in one thread: open the second one near the first.');
    this.name = 'NotInOneThread';
  }
}
