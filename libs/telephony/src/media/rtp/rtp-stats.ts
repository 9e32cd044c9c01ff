import type { WireCodec } from '../session/media-port.js';

/** An implausible figure in a report of the remote party. */
export type ImplausibleFigure = 'remote_lost' | 'remote_jitter_ms' | 'rtt_ms';

/** Counters of one session. `lost` is by extended sequence numbers (RFC 3550 §A.3), `jitterMs` the estimate of §6.4.1. */
export interface RtpStats {
  sent: number;
  received: number;
  lost: number;
  reordered: number;
  duplicates: number;
  jitterMs: number;
  /** Outgoing frames that were skipped because the process stalled longer than the pacer can catch up. */
  lateFrames: number;
  /** Share of the remote packets that did not arrive, 0-1. */
  lossRate: number;
  /** Mean opinion score 1-4.5, estimated from loss, jitter, delay and codec (ITU-T G.107); absent until audio has arrived. */
  mos?: number;
  /** Round trip by the remote party's last RTCP report (RFC 3550 §6.4.1); absent when it sends none. */
  rttMs?: number;
  /** Loss of our packets and their jitter as reported by the remote party; absent without its reports. */
  remoteLost?: number;
  remoteJitterMs?: number;
  /** As `mos`, of our audio at the remote party; absent without its reports. */
  remoteMos?: number;
  /**
   * Implausible reported figures: more lost than sent, a jitter or round trip of many seconds. Omitted above.
   */
  implausible?: ImplausibleFigure[];
  /** The codec on the wire; absent before the audio starts. */
  codec?: WireCodec;
  /** Whether the audio is encrypted (SRTP). */
  srtp: boolean;
  /** The described remote IP address when sending to it is forbidden; see RemoteMedia.latchTo. */
  refusedAddress?: string;
}

/** The statistics of a leg that never had audio. */
export const emptyStats = (): RtpStats => ({
  sent: 0,
  received: 0,
  lost: 0,
  reordered: 0,
  duplicates: 0,
  jitterMs: 0,
  lateFrames: 0,
  lossRate: 0,
  srtp: false,
});

/** The quality of the path from the remote party. */
interface ConnectionQuality {
  /** Share of packets that did not arrive, 0-1. */
  lossRate: number;
  jitterMs: number;
  /** Absent: unknown, and left out of the estimate. */
  rttMs?: number | undefined;
  codec: WireCodec;
}

/** The share of our packets that the remote party reports as lost, 0-1; undefined without its reports. */
export const remoteLossRate = ({ remoteLost, sent }: Pick<RtpStats, 'remoteLost' | 'sent'>): number | undefined =>
  remoteLost === undefined || sent === 0 ? undefined : Math.min(1, Math.max(0, remoteLost / sent));

/** R of an undisturbed connection with the default values of G.107 (03/2005). */
const BEST_R = 93.2;
/** 20 ms of packet, plus look-ahead of codecs and delay of filters. */
const PACKET_MS = 20;
const CODEC_DELAY_MS: Record<WireCodec, number> = { PCMU: 0, PCMA: 0, G722: 4, L16: 0 };
/**
 * Noticeable delay: the knee of G.107's Idd as Cole and Rosenbluth fitted it (2001, "Voice over IP performance monitoring").
 */
const NOTICED_DELAY_MS = 177.3;
/**
 * Equipment impairment and robustness against random loss. G.113 appendix I: G.711 without concealment. It has no figures for G.722
 * heard at 8 kHz, whose loss sounds the same.
 */
const IMPAIRMENT = 0;
const LOSS_ROBUSTNESS = 4.3;

/**
 * Mean opinion score 1-4.5 by the E-model (ITU-T G.107) reduced to the inputs that RTP has: loss (Ie-eff, §3.5 with random loss), delay
 * (Id, simplified), no advantage factor. An estimate for comparing calls, not a measurement of speech.
 */
export function estimateMos({ lossRate, jitterMs, rttMs = 0, codec }: ConnectionQuality): number {
  const lossPercent = lossRate * 100;
  // A jitter buffer of twice the jitter loses little more.
  const delayMs = rttMs / 2 + PACKET_MS + 2 * jitterMs + CODEC_DELAY_MS[codec];
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - NOTICED_DELAY_MS);
  const lossImpairment = IMPAIRMENT + ((95 - IMPAIRMENT) * lossPercent) / (lossPercent + LOSS_ROBUSTNESS);
  return mosOf(BEST_R - delayImpairment - lossImpairment);
}

/** G.107 annex B. */
function mosOf(r: number): number {
  if (r <= 0) return 1;
  if (r >= 100) return 4.5;
  return Math.max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6);
}
