import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Codec, RemoteMedia } from './media/media-port.js';
import { cryptoLine, type LocalSrtp, protectionOf, type SrtpKey } from './media/srtp-keys.js';
import type { Direction, SdpAudio, SdpOrigin } from './sdp-parse.js';

/** Local capabilities and policy. */
export interface LocalTerms {
  codecs: Codec[];
  /** Absent: plain RTP only. */
  srtp?: LocalSrtp;
}

/** Our side of the audio stream. */
export interface LocalAudio extends LocalTerms {
  /** IP literal for the remote party's RTP. */
  address: string;
  port: number;
  /** Continues an earlier local description; absent: a new session. */
  origin?: SdpOrigin;
}

/** The agreed media: the argument of `MediaSession.start`. */
export type NegotiatedAudio = RemoteMedia;

const STATIC_PAYLOAD_TYPES: Record<Codec, number> = { PCMU: 0, PCMA: 8, G722: 9 };
const DTMF_PAYLOAD_TYPE = 101;
/** The local direction for each direction of the remote party. */
const MIRRORED: Record<Direction, Direction> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** The lines after an m= line. */
interface Description {
  protocol: string;
  codecs: { codec: Codec; payloadType: number }[];
  dtmfPayloadType: number | undefined;
  keys: SrtpKey[];
  rtcpMux: boolean;
  direction: Direction;
}

/**
 * An offer of our codecs and telephone-event, 20 ms packets, both directions. Optional encryption uses RTP/AVP with keys: peers with
 * SRTP answer with a key, others ignore the lines. Other peers would refuse RTP/SAVP, and many misread two streams of both kinds.
 * Required encryption uses RTP/SAVP (RFC 4568).
 */
export function buildOffer(local: LocalAudio): string {
  const description: Description = {
    protocol: local.srtp?.policy === 'required' ? 'RTP/SAVP' : 'RTP/AVP',
    codecs: local.codecs.map((codec) => ({ codec, payloadType: STATIC_PAYLOAD_TYPES[codec] })),
    dtmfPayloadType: DTMF_PAYLOAD_TYPE,
    keys: local.srtp?.keys ?? [],
    rtcpMux: true,
    direction: 'sendrecv',
  };
  return [...sessionLines(local), ...audioLines(local.port, description), ''].join('\r\n');
}

/**
 * An answer with the first common codec of the offer, encrypted or not by the policies of both sides, or undefined (488). Other
 * streams are refused with port 0.
 */
export function buildAnswer(offer: SdpAudio, local: LocalAudio): string | undefined {
  const agreement = agree(local, offer);
  if (!agreement) return undefined;
  const { stream, chosen, keys } = agreement;
  const lines = sessionLines(local);
  for (const { chosen: taken, kind, protocol, formats } of stream.streams) {
    if (!taken) {
      lines.push(`m=${kind} 0 ${protocol} ${formats}`);
      continue;
    }
    const { dtmfPayloadType, rtcpMux } = stream;
    const direction = MIRRORED[stream.direction];
    const own = keys ? [keys.local] : [];
    lines.push(
      ...audioLines(local.port, { protocol, codecs: [chosen], dtmfPayloadType, keys: own, rtcpMux, direction }),
    );
  }
  return [...lines, ''].join('\r\n');
}

/** Selects codec and keys from a received offer or answer. Undefined: nothing in common. */
export function negotiate(ours: LocalTerms, theirs: SdpAudio): NegotiatedAudio | undefined {
  const agreement = agree(ours, theirs);
  if (!agreement) return undefined;
  const { stream, chosen, keys } = agreement;
  const { address, port, dtmfPayloadType } = stream;
  // RFC 2543 put a call on hold with the address 0.0.0.0, as old phones still do.
  const unspecified = address === '0.0.0.0' || address === '::';
  const listens = stream.direction === 'sendrecv' || stream.direction === 'recvonly';
  const rtcpPort = stream.rtcpMux ? port : (stream.rtcpPort ?? port + 1);
  return {
    address,
    port,
    ...chosen,
    ...dtmfTypes(dtmfPayloadType, chosen.payloadType),
    ...(theirs.latchTo === undefined ? {} : { latchTo: theirs.latchTo }),
    sendAudio: listens && !unspecified,
    ...(keys && { srtp: keys }),
    ...(rtcpPort <= 65_535 && !unspecified && { rtcp: { address, port: rtcpPort } }),
  };
}

/** RFC 3264 §6.1: an answer contains the type that the answerer receives; it sends the type of our offer. */
function dtmfTypes(theirs: number | undefined, audio: number): Partial<NegotiatedAudio> {
  if (theirs === undefined) return {};
  const differs = theirs !== DTMF_PAYLOAD_TYPE && audio !== DTMF_PAYLOAD_TYPE;
  return { dtmfPayloadType: theirs, ...(differs && { offeredDtmfPayloadType: DTMF_PAYLOAD_TYPE }) };
}

interface Agreement {
  stream: SdpAudio;
  chosen: { codec: Codec; payloadType: number };
  keys?: { local: SrtpKey; remote: SrtpKey };
}

/** The first usable audio stream of the remote party. */
function agree(ours: LocalTerms, theirs: SdpAudio): Agreement | undefined {
  for (const stream of [theirs, ...theirs.alternatives]) {
    const chosen = stream.codecs.find((one) => ours.codecs.includes(one.codec));
    const protection = protectionOf(ours.srtp, stream);
    if (!chosen || stream.port === 0 || protection === 'refused') continue;
    return { stream, chosen, ...(protection !== 'plain' && { keys: protection }) };
  }
  return undefined;
}

function sessionLines(local: LocalAudio): string[] {
  const family = isIPv6(local.address) ? 'IP6' : 'IP4';
  const origin = local.origin ?? { id: String(randomInt(2 ** 47)), version: 1 };
  return [
    'v=0',
    `o=- ${origin.id} ${origin.version} IN ${family} ${local.address}`,
    's=-',
    `c=IN ${family} ${local.address}`,
    't=0 0',
  ];
}

function audioLines(port: number, description: Description): string[] {
  const { protocol, codecs, dtmfPayloadType, keys, rtcpMux, direction } = description;
  const types = codecs.map((one) => one.payloadType);
  const lines = codecs.map((one) => `a=rtpmap:${one.payloadType} ${one.codec}/8000`);
  if (dtmfPayloadType !== undefined) {
    types.push(dtmfPayloadType);
    lines.push(`a=rtpmap:${dtmfPayloadType} telephone-event/8000`, `a=fmtp:${dtmfPayloadType} 0-15`);
  }
  lines.push(...keys.map(cryptoLine), 'a=ptime:20');
  if (rtcpMux) lines.push('a=rtcp-mux');
  return [`m=audio ${port} ${protocol} ${types.join(' ')}`, ...lines, `a=${direction}`];
}
