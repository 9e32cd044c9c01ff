import { isUtf8 } from 'node:buffer';
import { canonicalName, isToken, knownName } from './headers.js';
import {
  type HeadEncoding,
  HeaderList,
  parseCseq,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from './message.js';

/** A message that could not be parsed. `request` is set when it can be answered (with 400, or 505 for another version). */
export class MalformedMessage {
  constructor(
    readonly problem: string,
    readonly request?: SipRequest,
    readonly status = 400,
  ) {}
}

// Control characters are not allowed in the head. A bare CR would become a line break in echoed headers.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f]|\r(?!\n)/;
const ONCE_ONLY = ['from', 'to', 'call-id', 'cseq'];

/**
 * Parses one complete message: a datagram, or a message of the stream framer. Tolerates line ends of LF alone, white space around
 * colons, folded lines, compact names and bytes after the body. Never throws.
 */
export function parseMessage(data: Buffer): SipMessage | MalformedMessage {
  const split = splitHead(data);
  if (!split) return new MalformedMessage('no empty line after the headers');
  const { head, encoding, bodyStart } = split;
  if (FORBIDDEN.test(head)) return new MalformedMessage('control character in the headers');
  const lineEnd = head.indexOf('\n');
  const start = startLine(trimEnd(lineEnd < 0 ? head : head.slice(0, lineEnd)), encoding);
  if (!start) return new MalformedMessage('bad start line');
  const { message } = start;
  const badLine = lineEnd < 0 ? undefined : readHeaders(head, lineEnd + 1, message.headers);
  const problem = badLine ?? headerProblem(message) ?? readBody(data, bodyStart, message);
  if (problem !== undefined) return malformed(problem, message);
  if (start.foreignVersion && message.kind === 'request')
    return new MalformedMessage('SIP version is not 2.0', message, 505);
  return message;
}

function splitHead(data: Buffer): { head: string; encoding: HeadEncoding; bodyStart: number } | undefined {
  const crlf = data.indexOf('\r\n\r\n');
  const end = crlf < 0 ? data.indexOf('\n\n') : crlf;
  if (end < 0) return undefined;
  const bodyStart = end + (crlf < 0 ? 2 : 4);
  const head = data.toString('utf8', 0, end);
  // The replacement character is rare in valid text, and stands for every invalid byte.
  if (!head.includes('\ufffd') || isUtf8(data.subarray(0, end))) return { head, encoding: 'utf8', bodyStart };
  return { head: data.toString('latin1', 0, end), encoding: 'latin1', bodyStart };
}

function trimEnd(line: string): string {
  return line.charCodeAt(line.length - 1) === 0x0d ? line.slice(0, -1) : line;
}

function startLine(line: string, encoding: HeadEncoding): { message: SipMessage; foreignVersion: boolean } | undefined {
  const message = line.startsWith('SIP/') ? statusLine(line, encoding) : undefined;
  if (message || line.startsWith('SIP/')) return message && { message, foreignVersion: false };
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (first < 1 || last <= first) return undefined;
  const method = line.slice(0, first);
  const uri = line.slice(first + 1, last);
  const version = line.slice(last + 1).toUpperCase();
  if (!isToken(method) || uri === '' || uri.includes(' ') || !/^SIP\/\d+\.\d+$/.test(version)) return undefined;
  const request: SipRequest = { kind: 'request', method, uri, headers: new HeaderList(encoding), body: '' };
  return { message: request, foreignVersion: version !== 'SIP/2.0' };
}

function statusLine(line: string, encoding: HeadEncoding): SipResponse | undefined {
  const status = Number(line.slice(8, 11));
  if (!line.startsWith('SIP/2.0 ') || !(status >= 100 && status <= 699)) return undefined;
  if (line.length > 11 && line[11] !== ' ') return undefined;
  return { kind: 'response', status, reason: line.slice(12), headers: new HeaderList(encoding), body: '' };
}

/** Returns a problem, or nothing. */
function readHeaders(head: string, start: number, headers: HeaderList): string | undefined {
  let problem: string | undefined;
  let at = start;
  let colon = head.indexOf(':', at);
  while (at < head.length) {
    let end = head.indexOf('\n', at);
    if (end < 0) end = head.length;
    const first = head.charCodeAt(at);
    // Searched once per colon: lines without one must not make the parser quadratic.
    if (colon >= 0 && colon < at) colon = head.indexOf(':', at);
    if (first === 0x20 || first === 0x09) {
      if (!headers.continueLast(trim(head, at, end))) problem ??= 'continuation without a header';
    } else {
      const name = colon < 0 || colon >= end ? undefined : headerName(head.slice(at, colon));
      // The rest is still parsed: a request with one bad line can be answered when its Via and Call-ID are complete.
      if (name === undefined) problem ??= 'bad header line';
      else headers.push(name, trim(head, colon + 1, end));
    }
    at = end + 1;
  }
  return problem;
}

/** The canonical form of a received name; undefined: it is not a token. */
function headerName(raw: string): string | undefined {
  const known = knownName(raw);
  if (known !== undefined) return known;
  const name = raw.trimEnd();
  return isToken(name) ? canonicalName(name) : undefined;
}

/** Without the white space of SIP around it; that of other scripts belongs to the value, which responses copy. */
function trim(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && text.charCodeAt(from) <= 0x20) from++;
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to--;
  return text.slice(from, to);
}

function headerProblem(message: SipMessage): string | undefined {
  const { headers } = message;
  for (const name of ONCE_ONLY) if (headers.count(name) !== 1) return `${name} must be there once`;
  if (!headers.topVia) return 'bad via';
  const cseq = parseCseq(headers.get('cseq'));
  if (!cseq) return 'bad cseq';
  if (message.kind === 'request' && cseq.method !== message.method) return 'cseq names another method';
  return undefined;
}

/** Takes the body; without a Content-Length it is the rest of the datagram (RFC 3261 §18.3). Returns a problem, or nothing. */
function readBody(data: Buffer, bodyStart: number, message: SipMessage): string | undefined {
  const length = message.headers.get('content-length');
  const available = data.length - bodyStart;
  if (length !== undefined && !/^\d{1,9}$/.test(length)) return 'bad content-length';
  const wanted = length === undefined ? available : Number(length);
  if (wanted > available) return 'body is shorter than its content-length';
  if (wanted > 0) message.body = data.toString('utf8', bodyStart, bodyStart + wanted);
  return undefined;
}

function malformed(problem: string, message: SipMessage): MalformedMessage {
  const { headers } = message;
  const answerable =
    message.kind === 'request' &&
    message.method !== 'ACK' &&
    ONCE_ONLY.every((name) => headers.count(name) === 1) &&
    headers.topVia !== undefined;
  return new MalformedMessage(problem, answerable ? message : undefined);
}
