import { isoTime } from '@app/common';
import type { RtpStats } from '@app/telephony';
import type { CallLegReportEntity, CallSipMessageEntity } from '../diagnostics/call-evidence.entity.js';
import type { CallRow } from '../call.entity.js';

export type SipMessageRow = Omit<CallSipMessageEntity, 'call_id'>;
export type LegReportRow = Omit<CallLegReportEntity, 'call_id'>;

/** The stored signalling and RTP statistics of a call; a call that was not dialled has none. */
export interface Diagnostics {
  call: CallRow;
  legs: LegReportRow[];
  /** In the order in which they were sent and received. */
  messages: SipMessageRow[];
}

/** The diagnostics of a call in the API. */
export function diagnosticsView({ call, legs, messages }: Diagnostics, pcapUrl: string) {
  const start = startOf(messages);
  return {
    call_id: call.id,
    legs: legs.map((leg) => legView(leg, messages, start)),
    left_out: legs.reduce((sum, leg) => sum + leg.left_out, 0),
    pcap_url: pcapUrl,
  };
}

export type DiagnosticsView = ReturnType<typeof diagnosticsView>;
export type LegView = DiagnosticsView['legs'][number];
export type LadderStep = LegView['ladder'][number];

/** When the first message of the call was sent or received. */
const startOf = (messages: SipMessageRow[]): number => messages[0]?.at.getTime() ?? 0;

function legView({ leg, direction, rtp }: LegReportRow, messages: SipMessageRow[], start: number) {
  return {
    leg,
    direction,
    ladder: messages.filter((message) => message.leg === leg).map((message) => stepView(message, start)),
    rtp: rtp && rtpView(rtp),
  };
}

function stepView(row: SipMessageRow, start: number) {
  const message = row.message.toString('utf8');
  const [us, them] = [hostPort(row.local_address, row.local_port), hostPort(row.remote_address, row.remote_port)];
  return {
    at: isoTime(row.at),
    offset_ms: row.at.getTime() - start,
    direction: row.direction,
    transport: row.transport,
    from: row.direction === 'out' ? us : them,
    to: row.direction === 'out' ? them : us,
    summary: summaryOf(message),
    cseq: /^cseq[ \t]*:[ \t]*(\d+)[ \t]+([\w!%*+'.~-]+)/im.exec(message)?.slice(1).join(' ') ?? null,
    retransmissions: row.retransmissions,
    repeated_at: row.repeated_at.map(isoTime),
    message,
  };
}

const hostPort = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** The first line without the version. Control characters are replaced: the remote party must not control the reader's terminal. */
function summaryOf(message: string): string {
  const line = /^[^\r\n]*/.exec(message)?.[0] ?? '';
  return line.replace(/^SIP\/2\.0 | SIP\/2\.0$/g, '').replace(/\p{Cc}/gu, '?');
}

/** Null: the leg never had audio. */
function rtpView(stats: RtpStats) {
  if (stats.codec === undefined && stats.sent === 0 && stats.received === 0) return null;
  return {
    codec: stats.codec ?? null,
    srtp: stats.srtp,
    sent: stats.sent,
    received: stats.received,
    lost: stats.lost,
    loss_rate: round(stats.lossRate),
    reordered: stats.reordered,
    duplicates: stats.duplicates,
    jitter_ms: round(stats.jitterMs),
    mos: round(stats.mos),
    late_frames: stats.lateFrames,
    rtt_ms: round(stats.rttMs),
    remote_lost: stats.remoteLost ?? null,
    remote_jitter_ms: round(stats.remoteJitterMs),
    remote_mos: round(stats.remoteMos),
    implausible: stats.implausible ?? [],
    refused_address: stats.refusedAddress ?? null,
  };
}

/** The audio quality for the post-call webhook; null when no audio was received. */
export function mediaQuality(stats: RtpStats) {
  if (stats.received === 0) return null;
  return { mos: round(stats.mos), loss_rate: round(stats.lossRate), jitter_ms: round(stats.jitterMs) };
}

export type MediaQuality = NonNullable<ReturnType<typeof mediaQuality>>;

const round = (value: number | undefined): number | null =>
  value === undefined ? null : Math.round(value * 10_000) / 10_000;
