import { randomInt } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import type { Codec } from './media/media-port.js';
import type { RemoteMedia } from './media/remote-media.js';
import type { LocalSrtp } from './media/srtp-keys.js';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** The audio stream of a session description, and what is needed to answer it. */
export interface SdpAudio {
  /** IP literal of the far end's RTP. */
  address: string;
  /** 0: the stream is refused. */
  port: number;
  /** Codecs that we know, in the order of the far end's preference. */
  codecs: { codec: Codec; payloadType: number }[];
  /** Payload type of telephone-event/8000 (RFC 4733). */
  dtmfPayloadType?: number;
  /** As the far end sees it: `sendonly` is its hold. */
  direction: Direction;
  /** Milliseconds per packet; 20 when not said. */
  ptime: number;
  origin: SdpOrigin;
  /** Every m= line in order; an answer has to repeat them (RFC 3264 §6). */
  streams: { kind: string; protocol: string; formats: string; chosen: boolean }[];
}

/** Id and version of the o= line; the version grows with each change (RFC 3264 §8). */
export interface SdpOrigin {
  id: string;
  version: number;
}

/** Why a session description cannot be used. */
export class SdpProblem {
  constructor(readonly problem: string) {}
}

/** What we can speak and insist on. */
export interface LocalTerms {
  codecs: Codec[];
  /** Absent: plain RTP only. */
  srtp?: LocalSrtp;
}

/** Our side of the audio stream. */
export interface LocalAudio extends LocalTerms {
  /** IP literal the far end sends its RTP to. */
  address: string;
  port: number;
  /** Continues an earlier description of ours; a new session without it. */
  origin?: SdpOrigin;
}

/** What both sides agreed on: the argument of `MediaSession.start`. */
export type NegotiatedAudio = RemoteMedia;

const STATIC_PAYLOAD_TYPES: Record<Codec, number> = { PCMU: 0, PCMA: 8, G722: 9 };
const DTMF_PAYLOAD_TYPE = 101;
/** What is announced back when the far end says the left side. */
const MIRRORED: Record<Direction, Direction> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** An offer of our codecs and telephone-event, 20 ms packets, both directions. */
export function buildOffer(local: LocalAudio): string {
  const formats = local.codecs.map((codec) => ({ codec, payloadType: STATIC_PAYLOAD_TYPES[codec] }));
  return [...sessionLines(local), ...audioLines(local.port, formats, DTMF_PAYLOAD_TYPE, 'sendrecv'), ''].join('\r\n');
}

/** An answer with the first codec of the offer that we have too, or undefined (488). Other streams are refused with port 0. */
export function buildAnswer(offer: SdpAudio, local: LocalAudio): string | undefined {
  const chosen = offer.codecs.find((one) => local.codecs.includes(one.codec));
  if (!chosen || offer.port === 0) return undefined;
  const lines = sessionLines(local);
  for (const stream of offer.streams) {
    if (stream.chosen)
      lines.push(...audioLines(local.port, [chosen], offer.dtmfPayloadType, MIRRORED[offer.direction]));
    else lines.push(`m=${stream.kind} 0 ${stream.protocol} ${stream.formats}`);
  }
  return [...lines, ''].join('\r\n');
}

/** Picks what is spoken from now on, from an offer or from an answer to ours. Undefined: nothing in common. */
export function negotiate(ours: LocalTerms, theirs: SdpAudio): NegotiatedAudio | undefined {
  const chosen = theirs.codecs.find((one) => ours.codecs.includes(one.codec));
  if (!chosen || theirs.port === 0) return undefined;
  // RFC 2543 put a call on hold with the address 0.0.0.0; phones of that age still do.
  const unspecified = theirs.address === '0.0.0.0' || theirs.address === '::';
  const listens = theirs.direction === 'sendrecv' || theirs.direction === 'recvonly';
  return {
    address: theirs.address,
    port: theirs.port,
    ...chosen,
    ...(theirs.dtmfPayloadType === undefined ? {} : { dtmfPayloadType: theirs.dtmfPayloadType }),
    sendAudio: listens && !unspecified,
  };
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

function audioLines(
  port: number,
  codecs: { codec: Codec; payloadType: number }[],
  dtmfPayloadType: number | undefined,
  direction: Direction,
): string[] {
  const types = codecs.map((one) => one.payloadType);
  const lines = codecs.map((one) => `a=rtpmap:${one.payloadType} ${one.codec}/8000`);
  if (dtmfPayloadType !== undefined) {
    types.push(dtmfPayloadType);
    lines.push(`a=rtpmap:${dtmfPayloadType} telephone-event/8000`, `a=fmtp:${dtmfPayloadType} 0-15`);
  }
  return [`m=audio ${port} RTP/AVP ${types.join(' ')}`, ...lines, 'a=ptime:20', `a=${direction}`];
}

interface Stream {
  kind: string;
  port: number;
  protocol: string;
  formats: string;
  address?: string;
  direction?: Direction;
  ptime?: number;
  rtpmap: Map<number, string>;
}

/** Reads a session description (RFC 8866) with the tolerance that phones need: LF alone, unknown lines, any order of attributes. */
export function parseSdp(text: string): SdpAudio | SdpProblem {
  if (!text.startsWith('v=0')) return new SdpProblem('not a session description');
  const session: Partial<Stream> & { origin?: SdpOrigin } = {};
  const streams: Stream[] = [];
  for (const line of text.split(/\r?\n/)) readLine(line, session, streams);
  const audio = streams.find((one) => one.kind === 'audio' && one.port > 0 && /^RTP\/AVPF?$/.test(one.protocol));
  const refused = streams.find((one) => one.kind === 'audio' && one.port === 0);
  const stream = audio ?? refused;
  if (!stream) return new SdpProblem('no audio stream over plain RTP');
  const address = stream.address ?? session.address;
  if (address === undefined) return new SdpProblem('no address for the audio stream');
  const dtmfPayloadType = [...stream.rtpmap].find(([, name]) => name === 'TELEPHONE-EVENT/8000')?.[0];
  return {
    address,
    port: stream.port,
    codecs: knownCodecs(stream),
    ...(dtmfPayloadType === undefined ? {} : { dtmfPayloadType }),
    direction: stream.direction ?? session.direction ?? 'sendrecv',
    ptime: stream.ptime ?? 20,
    origin: session.origin ?? { id: '0', version: 0 },
    streams: streams.map(({ kind, protocol, formats, ...rest }) => ({
      kind,
      protocol,
      formats,
      chosen: rest.rtpmap === stream.rtpmap,
    })),
  };
}

function readLine(line: string, session: Partial<Stream> & { origin?: SdpOrigin }, streams: Stream[]): void {
  const stream = streams.at(-1) ?? session;
  const value = line.slice(2).trim();
  if (line.startsWith('m=')) {
    const media = /^(\S+) (\d{1,5})(?:\/\d+)? (\S+) (.+)$/.exec(value);
    if (media) streams.push(newStream(media[1]!, Number(media[2]), media[3]!, media[4]!));
  } else if (line.startsWith('c=')) {
    const host = /^IN IP[46] ([^\s/]+)/.exec(value)?.[1];
    // Names are legal and nobody sends them; one would be resolved behind the address check.
    if (host !== undefined && isIP(host) !== 0) stream.address = host;
  } else if (line.startsWith('o=')) {
    const origin = /^\S+ (\d{1,20}) (\d{1,20}) /.exec(value);
    if (origin) session.origin = { id: origin[1]!, version: Number(origin[2]) };
  } else if (line.startsWith('a=')) readAttribute(value, stream);
}

function newStream(kind: string, port: number, protocol: string, formats: string): Stream {
  return { kind, port: port > 65_535 ? 0 : port, protocol, formats, rtpmap: new Map() };
}

function readAttribute(value: string, stream: Partial<Stream>): void {
  if (Object.hasOwn(MIRRORED, value)) {
    stream.direction = value as Direction;
  } else if (value.startsWith('rtpmap:')) {
    const map = /^rtpmap:(\d{1,3}) ([A-Za-z0-9\-.]+\/\d+)/.exec(value);
    if (map) stream.rtpmap?.set(Number(map[1]), map[2]!.toUpperCase());
  } else if (value.startsWith('ptime:')) {
    const ms = Number(value.slice(6));
    if (ms >= 10 && ms <= 200) stream.ptime = ms;
  }
}

function knownCodecs(stream: Stream): SdpAudio['codecs'] {
  const found: SdpAudio['codecs'] = [];
  for (const format of stream.formats.split(/\s+/)) {
    const payloadType = Number(format);
    if (!Number.isInteger(payloadType) || payloadType > 127) continue;
    // Static types need no rtpmap (RFC 3551 §6).
    const name =
      stream.rtpmap.get(payloadType) ?? (payloadType === 0 ? 'PCMU/8000' : payloadType === 8 ? 'PCMA/8000' : '');
    const codec = name === 'PCMU/8000' ? 'PCMU' : name === 'PCMA/8000' ? 'PCMA' : undefined;
    if (codec) found.push({ codec, payloadType });
  }
  return found;
}
