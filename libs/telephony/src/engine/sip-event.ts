import type { Flow, TransportName } from '../sip/flow.js';
import { parseCseq, type SipMessage } from '../sip/message.js';

/** One message of a leg's signalling, for a ladder diagram. */
export interface SipEvent {
  direction: 'in' | 'out';
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** Of a response. */
  status?: number;
  /** `INVITE`, or `180 Ringing`. */
  summary: string;
  transport: TransportName;
  /** The announced local address: outgoing connections use another source port. */
  local: { address: string; port: number };
  remote: { address: string; port: number };
  /** The message as it is on the wire, with passwords, keys and digits masked; one character per byte (latin1). */
  wire: string;
}

/** `localPort`: where the far end reaches the endpoint. */
export function sipEventOf(
  direction: 'in' | 'out',
  message: SipMessage,
  flow: Flow,
  data: Buffer,
  localPort: number,
): SipEvent {
  const response = message.kind === 'response';
  return {
    direction,
    at: Date.now(),
    method: response ? (parseCseq(message.headers.get('cseq'))?.method ?? '') : message.method,
    ...(response ? { status: message.status } : {}),
    summary: response ? `${message.status} ${message.reason}` : message.method,
    transport: flow.transport,
    local: { address: flow.localAddress, port: localPort },
    remote: { address: flow.address, port: flow.port },
    wire: redactSecrets(data.toString('latin1')),
  };
}

/** A quick test: most messages contain none of these. */
const SUSPECT =
  /authorization|authentication-info|a=crypto|a=key-mgmt|[\r\n]k=|ice-pwd|dtmf|\bsips?:[^@<>\s;?:]{1,256}:[^@<>\s]{1,256}@/i;

/** Credentials and their responses. Challenges stay readable: they are useless without the response. */
const CREDENTIAL_HEADER =
  /^((?:proxy-)?auth(?:orization|entication-info)[ \t]*:[ \t]*)([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/gim;
const DIGEST_SECRET = /\b((?:response|cnonce|rspauth)[ \t]*=[ \t]*)("(?:[^"\\]|\\.)*|[^",\s]+)/gi;
const OTHER_SCHEME = /^(\S+[ \t]+)([^]*)$/;

/**
 * The keys of `a=crypto` behind `inline:`, their lifetimes and identifiers, and the session parameters without a key (RFC 4568 §9.2).
 * Tools refuse a session description whose key is no base64 of the right length, so letters replace the stars.
 */
const SDES_KEYS =
  /^([A-Za-z0-9+/]+={0,2}(?:\|(?:2\^)?\d+)?(?:\|\d+:\d+)?(?:;inline:|(?=[ \t]|$)))+(?:[ \t]+(?:(?:KDR|WSH)=\d+|UN(?:ENCRYPTED|AUTHENTICATED)_SRTC?P))*[ \t]*$/i;
const SDES_KEY = /((?:^|;inline:))([A-Za-z0-9+/]+)/gi;

/** RFC 4568, RFC 4567, RFC 4566 §5.12, RFC 8839. */
const MEDIA_KEY = /^(a=crypto:[^\r\n]*?inline:|a=key-mgmt:\S+[ \t]+|k=[^:\r\n]+:|a=ice-pwd:)([^\r\n]*)/gim;

/** `sip:user:password@host`. Bounded, because a hostile message has room for 64 KB of `sip:`. */
const URI_PASSWORD = /(\bsips?:[^@<>\s;?:]{1,256}:)([^@<>\s]{1,256})(?=@)/gi;

/** A digit in the body of an INFO: people key in card numbers. */
const INFO_DIGIT = /^(signal[ \t]*=[ \t]*)([^\r\n]+)/gim;
const INFO_DIGIT_ALONE = /(\r?\n\r?\n[ \t]*)([0-9A-D*#])(?=\s*$)/i;

const maskSecond = (_all: string, before: string, secret: string): string => before + secret.replace(/[^"\r\n]/g, '*');

function maskedMediaKey(all: string, before: string, secret: string): string {
  if (!/^a=crypto/i.test(before) || !SDES_KEYS.test(secret)) return maskSecond(all, before, secret);
  return before + secret.replace(SDES_KEY, (_key, start: string, key: string) => start + 'A'.repeat(key.length));
}

/**
 * The message for storage: credentials, media keys and DTMF digits are replaced by as many stars, so that lengths stay correct
 * (Content-Length, datagrams). SDES keys become as many letters A, which is valid base64.
 */
export function redactSecrets(wire: string): string {
  if (!SUSPECT.test(wire)) return wire;
  return wire
    .replace(CREDENTIAL_HEADER, (_all, name: string, value: string) => name + withoutProof(value))
    .replace(MEDIA_KEY, maskedMediaKey)
    .replace(URI_PASSWORD, maskSecond)
    .replace(INFO_DIGIT, maskSecond)
    .replace(INFO_DIGIT_ALONE, maskSecond);
}

/** Only the proof of the password is masked in Digest: support needs user name, realm and nonce. */
function withoutProof(value: string): string {
  const isInfo = /^\s*(?:nextnonce|qop|rspauth|cnonce|nc)\s*=/i.test(value);
  if (isInfo || /^digest\s/i.test(value)) return value.replace(DIGEST_SECRET, maskSecond);
  return value.replace(OTHER_SCHEME, maskSecond);
}
