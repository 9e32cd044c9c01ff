import type { ConferenceMixer } from './conference-mixer.js';
import type { MediaPort, RemoteMedia, WirePort } from './media-port.js';
import type { PortRange } from '../rtp/rtp-port-pool.js';
import type { RtpStats } from '../rtp/rtp-stats.js';
import type { TappedPort } from './tapped-port.js';
import type { RecordingOutcome } from './wav-recorder.js';

export interface MediaOptions {
  bindAddress: string;
  /** The address in the SDP when it is not the bound address (NAT). */
  publicAddress?: string;
  ports: PortRange;
  /** Path of the stereo WAV; the folder exists. No recording when absent. */
  recordTo?: string;
  /** 30,000 when absent: after this time without a packet the remote party is probed. */
  mediaTimeoutMs?: number;
  /** 300,000 when absent: the longest time without a packet. */
  silenceLimitMs?: number;
  /** Between two RTCP reports, give or take half; 5,000 when absent. */
  rtcpIntervalMs?: number;
}

export interface MediaSession extends MediaPort, WirePort, TappedPort {
  /** For the SDP. */
  readonly localPort: number;
  readonly localAddress: string;
  /**
   * Sends a packet every 20 ms, silence when the queue is empty. Called again for a new answer (re-INVITE, 183 then 200);
   * `codec` stays that of the first call, a new codec on the wire is converted.
   */
  start(remote: RemoteMedia): void;
  /** Records from now on to this path, a stereo WAV; the folder exists. Only after start(), and once; `recordTo` records from the start. */
  record(path: string): void;
  /** Mixes a third party in, until another call without one. */
  confer(mixer: ConferenceMixer | undefined): void;
  /**
   * A remote party with `reportsPlayout` has not played the last `unplayedMs` of what was sent. Marks, `flush` and `drained` follow what it has
   * played. `isAdvancing`: it plays at the moment.
   */
  setPlayed(unplayedMs: number, isAdvancing: boolean): void;
  /** A key received by SIP INFO: reported to the listeners of onDtmf unless it also arrives as RFC 4733 events. */
  receiveDigit(digit: string, durationMs: number): void;
  /**
   * No RTP or RTCP from the remote party for mediaTimeoutMs; repeated after each such period. `final`, at most once per start():
   * for silenceLimitMs, or the socket failed. Not counted while on hold.
   */
  onTimeout(listener: (final: boolean) => void): void;
  stats(): RtpStats;
  /** Stops the pacing, closes the socket, finishes the recording. Every call returns the same result. */
  close(): Promise<RecordingOutcome>;
}
