import type { Codec, RemoteMedia } from './media/session/media-port.js';
import { cryptoLine, type LocalSrtp, protectionOf, type SrtpKey } from './media/rtp/srtp-keys.js';
import { fewRandomBytes } from './random-ids.js';
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
 * Required encryption uses RTP/SAVP (RFC 4568). `before`: the streams of our earlier description in the same session, which a new offer
 * repeats in their order (RFC 3264 §8).
 */
export function buildOffer(local: LocalAudio, before?: SdpAudio['streams']): string {
  const description: Description = {
    protocol: local.srtp?.policy === 'required' ? 'RTP/SAVP' : 'RTP/AVP',
    codecs: local.codecs.map((codec) => ({ codec, payloadType: STATIC_PAYLOAD_TYPES[codec] })),
    dtmfPayloadType: DTMF_PAYLOAD_TYPE,
    keys: local.srtp?.keys ?? [],
    rtcpMux: true,
    direction: 'sendrecv',
  };
  const audio = audioLines(local.port, description);
  return sessionLines(local) + (before ? streamLines(before, audio) : audio);
}

/**
 * An answer with the first common codec of the offer, encrypted or not by the policies of both sides, or undefined (488). Other
 * streams are refused with port 0.
 */
export function buildAnswer(offer: SdpAudio, local: LocalAudio): string | undefined {
  const agreement = agree(local, offer);
  if (!agreement) return undefined;
  const { stream, chosen, keys } = agreement;
  const { protocol, dtmfPayloadType, rtcpMux } = stream;
  const direction = MIRRORED[stream.direction];
  const own = keys ? [keys.local] : [];
  const audio = audioLines(local.port, {
    protocol,
    codecs: [chosen],
    dtmfPayloadType,
    keys: own,
    rtcpMux,
    direction,
  });
  return sessionLines(local) + streamLines(stream.streams, audio);
}

/** `audio` in the place of the chosen stream; the others are refused. */
const streamLines = (streams: SdpAudio['streams'], audio: string): string =>
  streams
    .map(({ chosen, kind, protocol, formats }) => (chosen ? audio : `m=${kind} 0 ${protocol} ${formats}\r\n`))
    .join('');

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
    codec: chosen.codec,
    payloadType: chosen.payloadType,
    dtmfPayloadType,
    offeredDtmfPayloadType: offeredDtmfType(dtmfPayloadType, chosen.payloadType),
    latchTo: theirs.latchTo,
    sendAudio: listens && !unspecified,
    srtp: keys,
    rtcp: rtcpPort <= 65_535 && !unspecified ? { address, port: rtcpPort } : undefined,
  };
}

/** RFC 3264 §6.1: an answer contains the type that the answerer receives; it sends the type of our offer. */
function offeredDtmfType(theirs: number | undefined, audio: number): number | undefined {
  const differs = theirs !== undefined && theirs !== DTMF_PAYLOAD_TYPE && audio !== DTMF_PAYLOAD_TYPE;
  return differs ? DTMF_PAYLOAD_TYPE : undefined;
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
    return { stream, chosen, keys: protection === 'plain' ? undefined : protection };
  }
  return undefined;
}

/** Lines with their ends, here and in `audioLines`. */
function sessionLines({ address, origin }: LocalAudio): string {
  const family = address.includes(':') ? 'IP6' : 'IP4';
  const { id, version } = origin ?? { id: fewRandomBytes(6).readUIntBE(0, 6), version: 1 };
  return `v=0\r\no=- ${id} ${version} IN ${family} ${address}\r\ns=-\r\nc=IN ${family} ${address}\r\nt=0 0\r\n`;
}

function audioLines(port: number, description: Description): string {
  const { protocol, codecs, dtmfPayloadType, keys, rtcpMux, direction } = description;
  let types = '';
  let lines = '';
  for (const { payloadType, codec } of codecs) {
    types += ` ${payloadType}`;
    lines += `a=rtpmap:${payloadType} ${codec}/8000\r\n`;
  }
  if (dtmfPayloadType !== undefined) {
    types += ` ${dtmfPayloadType}`;
    lines += `a=rtpmap:${dtmfPayloadType} telephone-event/8000\r\na=fmtp:${dtmfPayloadType} 0-15\r\n`;
  }
  for (const key of keys) lines += `${cryptoLine(key)}\r\n`;
  return `m=audio ${port} ${protocol}${types}\r\n${lines}a=ptime:20\r\n${rtcpMux ? 'a=rtcp-mux\r\n' : ''}a=${direction}\r\n`;
}
