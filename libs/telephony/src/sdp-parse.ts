import { isIP } from 'node:net';
import { canonical } from './ip-address.js';
import type { Codec } from './media/session/media-port.js';
import { parseCrypto, type SrtpKey } from './media/rtp/srtp-keys.js';

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** The audio stream of a session description, with the fields that an answer needs. */
export interface SdpAudio {
  /** IP literal of the remote party's RTP. */
  address: string;
  /** Sending to `address` is forbidden, see RemoteMedia.latchTo. Set when the source of the signalling is known. */
  latchTo?: string;
  /** 0: the stream is refused. */
  port: number;
  /** Supported codecs, in the order of the remote party's preference. */
  codecs: { codec: Codec; payloadType: number }[];
  /** Payload type of telephone-event/8000 (RFC 4733). */
  dtmfPayloadType?: number;
  /** From the remote party's view: `sendonly` means hold. */
  direction: Direction;
  /** Milliseconds per packet; 20 when absent. */
  ptime: number;
  /** As written, such as `RTP/AVP`. */
  protocol: string;
  /** The profile requires encryption (RTP/SAVP). */
  secure: boolean;
  /** Keys of supported suites, in the order of the remote party's preference. Secrets: never log them. */
  crypto: SrtpKey[];
  /** RTP and RTCP may share the port (RFC 5761). */
  rtcpMux: boolean;
  /** Of `a=rtcp` (RFC 3605); the port after the RTP's when absent. Its address is ignored, because it passes no address check. */
  rtcpPort?: number;
  origin: SdpOrigin;
  /** Every m= line in order; an answer must repeat them (RFC 3264 §6). */
  streams: { kind: string; protocol: string; formats: string; chosen: boolean }[];
  /** Further audio streams at the same address: some phones offer RTP/SAVP and RTP/AVP side by side, to choose one. */
  alternatives: SdpAudio[];
}

/** Id and version of the o= line; the version grows with each change (RFC 3264 §8). */
export interface SdpOrigin {
  id: string;
  version: number;
}

/**
 * The reason why a session description cannot be used. Host names are legal but unused in practice, and refused: their resolution would
 * bypass the address check and delay the call.
 */
export class SdpProblem {
  constructor(
    readonly problem:
      | 'not a session description'
      | 'too many streams'
      | 'no usable audio stream over RTP'
      | 'no address for the audio stream'
      | 'the address of the audio stream is not an IP address',
  ) {}
}

/** A call has one or two streams; the answer repeats all of them. */
const MAX_STREAMS = 16;
const PROFILE = /^RTP\/S?AVPF?$/;
/** Fields of an incomplete m= line, in an answer that refuses it: RFC 8866 §5.14 requires each. */
const MISSING = { kind: 'application', protocol: 'RTP/AVP', formats: '0' };

interface Stream {
  kind: string;
  port: number;
  protocol: string;
  formats: string;
  /** As written. */
  address?: string;
  direction?: Direction;
  ptime?: number;
  rtcpPort?: number;
  rtcpMux: boolean;
  crypto: SrtpKey[];
  rtpmap: Map<number, string>;
}

type Session = Pick<Stream, 'crypto' | 'rtpmap' | 'rtcpMux'> & Partial<Stream> & { origin?: SdpOrigin };

/**
 * Reads a session description (RFC 8866) with the tolerance that phones need: LF alone, unknown lines, any order of attributes, any
 * number of spaces between fields.
 */
export function parseSdp(text: string): SdpAudio | SdpProblem {
  if (!text.startsWith('v=0')) return new SdpProblem('not a session description');
  const session: Session = { crypto: [], rtpmap: new Map(), rtcpMux: false };
  const streams: Stream[] = [];
  for (const line of text.split(/\r?\n/)) {
    readLine(line, session, streams);
    if (streams.length > MAX_STREAMS) break;
  }
  if (streams.length > MAX_STREAMS) return new SdpProblem('too many streams');
  const audio = streams.filter((one) => one.kind === 'audio');
  const open = audio.filter((one) => one.port > 0 && isUsable(one));
  const [first, ...others] = open.length > 0 ? open : audio.filter((one) => one.port === 0);
  if (!first) return new SdpProblem('no usable audio stream over RTP');
  const written = first.address ?? session.address;
  if (written === undefined) return new SdpProblem('no address for the audio stream');
  // A zone (`%eth0`) is valid only on one machine.
  if (isIP(written) === 0 || written.includes('%'))
    return new SdpProblem('the address of the audio stream is not an IP address');
  const alternatives = others.filter((one) => (one.address ?? session.address) === written);
  // Hosts of both families may write IPv4 as `::ffff:192.0.2.1` (RFC 5118 §4.9), which endpoints of IPv4 support as well.
  const { address } = canonical({ address: written, port: first.port });
  const describe = (stream: Stream): SdpAudio => audioOf(stream, address, session, streams);
  const described = describe(first);
  described.alternatives = alternatives.map(describe);
  return described;
}

/** Other key exchanges (DTLS, MIKEY) are not supported. */
const isUsable = (stream: Stream): boolean =>
  PROFILE.test(stream.protocol) && (!isSecure(stream) || stream.crypto.length > 0);

const isSecure = (stream: Stream): boolean => stream.protocol.startsWith('RTP/S');

function audioOf(stream: Stream, address: string, session: Session, streams: Stream[]): SdpAudio {
  const dtmfPayloadType = [...stream.rtpmap].find(([, name]) => name === 'TELEPHONE-EVENT/8000')?.[0];
  return {
    address,
    port: stream.port,
    codecs: knownCodecs(stream),
    dtmfPayloadType,
    direction: stream.direction ?? session.direction ?? 'sendrecv',
    ptime: stream.ptime ?? 20,
    protocol: stream.protocol,
    secure: isSecure(stream),
    crypto: stream.crypto,
    rtcpMux: stream.rtcpMux,
    rtcpPort: stream.rtcpPort,
    origin: session.origin ?? { id: '0', version: 0 },
    streams: streams.map((one) => ({
      kind: one.kind,
      protocol: one.protocol,
      formats: one.formats,
      chosen: one === stream,
    })),
    alternatives: [],
  };
}

function readLine(line: string, session: Session, streams: Stream[]): void {
  const stream = streams.at(-1) ?? session;
  const value = line.slice(2).trim();
  if (line.startsWith('m=')) streams.push(readStream(value));
  else if (line.startsWith('c=')) {
    const host = /^IN\s+IP[46]\s+([^\s/]+)/.exec(value)?.[1];
    if (host !== undefined) stream.address = host;
  } else if (line.startsWith('o=')) {
    const origin = /^\S+\s+(\d{1,20})\s+(\d{1,20})\s/.exec(value);
    if (origin) session.origin = { id: origin[1]!, version: Number(origin[2]) };
  } else if (line.startsWith('a=')) readAttribute(value, stream);
}

/**
 * Every m= line starts a stream, whatever it contains: the lines after it belong to it (RFC 8866 §5.14), and the answer has a line for it
 * (RFC 3264 §6). An incomplete line is a refused stream.
 */
function readStream(value: string): Stream {
  const [kind = '', port = '', protocol = '', ...formats] = value.split(/\s+/);
  const number = Number(/^(\d{1,5})(?:\/\d+)?$/.exec(port)?.[1]);
  const isComplete = number <= 65_535 && formats.length > 0;
  return {
    kind: kind || MISSING.kind,
    port: isComplete ? number : 0,
    protocol: protocol || MISSING.protocol,
    formats: formats.join(' ') || MISSING.formats,
    rtpmap: new Map(),
    crypto: [],
    rtcpMux: false,
  };
}

function readAttribute(value: string, stream: Stream | Session): void {
  const name = /^[\w-]+/.exec(value)?.[0] ?? '';
  if (isDirection(name) && name === value) stream.direction = name;
  else if (name === 'rtpmap') readRtpmap(value, stream);
  else if (name === 'crypto') readCrypto(value, stream);
  else if (value === 'rtcp-mux') stream.rtcpMux = true;
  else if (name === 'rtcp') readRtcpPort(value, stream);
  else if (name === 'ptime') {
    const ms = Number(value.slice(6));
    if (ms >= 10 && ms <= 200) stream.ptime = ms;
  }
}

const isDirection = (name: string): name is Direction => (DIRECTIONS as readonly string[]).includes(name);

function readRtpmap(value: string, stream: Stream | Session): void {
  const map = /^rtpmap:\s*(\d{1,3})\s+([A-Za-z0-9\-.]+\/\d+)/.exec(value);
  if (map) stream.rtpmap.set(Number(map[1]), map[2]!.toUpperCase());
}

function readCrypto(value: string, stream: Stream | Session): void {
  const key = parseCrypto(value);
  // One line per suite is enough; a description full of keys must not cost memory.
  if (key && !stream.crypto.some((one) => one.suite === key.suite)) stream.crypto.push(key);
}

function readRtcpPort(value: string, stream: Stream | Session): void {
  const port = Number(/^rtcp:\s*(\d{1,5})(?:\s|$)/.exec(value)?.[1]);
  if (port > 0 && port <= 65_535) stream.rtcpPort = port;
}

/** Static types need no rtpmap (RFC 3551 §6). */
const STATIC_NAMES: Record<number, string> = { 0: 'PCMU/8000', 8: 'PCMA/8000', 9: 'G722/8000' };
/** The clock of G.722 is 8,000 by an old mistake (RFC 3551 §4.5.2), which some implementations correct. */
const CODECS: Record<string, Codec> = {
  'PCMU/8000': 'PCMU',
  'PCMA/8000': 'PCMA',
  'G722/8000': 'G722',
  'G722/16000': 'G722',
};

function knownCodecs(stream: Stream): SdpAudio['codecs'] {
  const found: SdpAudio['codecs'] = [];
  for (const format of stream.formats.split(/\s+/)) {
    const payloadType = Number(format);
    if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > 127) continue;
    const name = stream.rtpmap.get(payloadType) ?? STATIC_NAMES[payloadType] ?? '';
    const codec = Object.hasOwn(CODECS, name) ? CODECS[name] : undefined;
    if (codec && !found.some((one) => one.payloadType === payloadType)) found.push({ codec, payloadType });
  }
  return found;
}
