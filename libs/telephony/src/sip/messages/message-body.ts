import { canonicalName, parseParams } from './headers.js';
import { HeaderList, type SipMessage } from './message.js';

/** The supported types, for Accept: a session description, alone or in a multipart body (RFC 5621 §3.1). */
export const ACCEPT = 'application/sdp, multipart/mixed, multipart/alternative';

const SDP = 'application/sdp';
/** A gateway sends two or three. */
const MAX_PARTS = 16;
/** A multipart body, and one more inside it. */
const MAX_DEPTH = 2;
/** RFC 2046 §5.1.1. */
const MAX_BOUNDARY = 70;

interface Part {
  headers: HeaderList;
  body: string;
}

/** A session description, or the empty string without one; undefined when a required part is not supported. */
type Description = string | undefined;

/**
 * The session description of a message: its body, or the first `application/sdp` part of a multipart body (RFC 5621, RFC 2046). The
 * empty string when there is none. Undefined (415) when a request has a body of another type or encoding, or an unsupported part with
 * `handling=required`. A part without that parameter is optional: by RFC 3261 §20.11 it would be required, but gateways omit it in ISUP
 * parts, which RFC 3204 §5 treats as optional. Parts of a response cannot be refused.
 */
export function sessionDescription(message: SipMessage): Description {
  const { headers, body } = message;
  if (body === '') return '';
  const isRequest = message.kind === 'request';
  if (isEncoded(headers)) return isRequest ? undefined : '';
  const type = mediaType(headers);
  if (type.startsWith('multipart/')) {
    const found = fromMultipart(message, isRequest, 1);
    return found ?? (isRequest ? undefined : '');
  }
  return type === SDP || !isRequest ? body : undefined;
}

/** True for a compressed body: only `identity` is supported. */
export function isEncoded(headers: HeaderList): boolean {
  return headers.list('content-encoding').some((one) => one.trim().toLowerCase() !== 'identity');
}

/** `strict`: an unsupported required part makes the whole body undefined. */
function fromMultipart(container: Part, strict: boolean, depth: number): Description {
  const parts = partsOf(container);
  if (!parts) return undefined;
  const found = parts.map((part) => fromPart(part, strict, depth));
  // RFC 2046 §5.1.4: the last supported part; the others are other forms of it.
  if (mediaType(container.headers) === 'multipart/alternative') {
    const understood = found.filter((one) => one !== undefined && one !== '');
    return understood.at(-1) ?? (found.includes('') || !strict ? '' : undefined);
  }
  if (strict && found.includes(undefined)) return undefined;
  return found.find((one) => one !== undefined && one !== '') ?? '';
}

function fromPart(part: Part, strict: boolean, depth: number): Description {
  const { headers, body } = part;
  const [disposition = '', ...params] = headers.get('content-disposition')?.split(';') ?? [];
  const required = parseParams(params.join(';')).get('handling')?.toLowerCase() === 'required';
  const notUnderstood = required ? undefined : '';
  const type = mediaType(headers);
  if (type.startsWith('multipart/') && depth < MAX_DEPTH)
    return fromMultipart(part, strict && required, depth + 1) ?? notUnderstood;
  const transfer = headers.get('content-transfer-encoding')?.trim().toLowerCase() ?? 'binary';
  const readable = type === SDP && !isEncoded(headers) && ['7bit', '8bit', 'binary'].includes(transfer);
  // An `early-session` (RFC 3959) is a separate session.
  const isSession = ['', 'session'].includes(disposition.trim().toLowerCase());
  return readable && isSession ? body : notUnderstood;
}

function mediaType(headers: HeaderList): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The parts between the delimiter lines; line ends of LF alone and a missing last delimiter are tolerated. Undefined: no boundary. */
function partsOf({ headers, body }: Part): Part[] | undefined {
  const type = headers.get('content-type') ?? '';
  const boundary = parseParams(type.slice(type.indexOf(';') + 1)).get('boundary') ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY) return undefined;
  const delimiter = `--${boundary}`;
  const parts: Part[] = [];
  let start: number | undefined;
  for (let at = 0; at <= body.length && parts.length < MAX_PARTS;) {
    const newline = body.indexOf('\n', at);
    const end = newline < 0 ? body.length : newline;
    const delimits = body.startsWith(delimiter, at) ? /^(--)?[ \t]*\r?$/.exec(rest(body, at, end, delimiter)) : null;
    if (delimits) {
      if (start !== undefined) parts.push(readPart(body.slice(start, at)));
      start = delimits[1] === undefined ? end + 1 : undefined;
      if (start === undefined) break;
    }
    at = end + 1;
  }
  if (start !== undefined && parts.length < MAX_PARTS) parts.push(readPart(body.slice(start)));
  return parts.length > 0 ? parts : undefined;
}

/** The rest of the delimiter's line; a line of a megabyte is not a delimiter. */
function rest(body: string, at: number, end: number, delimiter: string): string {
  const from = at + delimiter.length;
  return end - from > 100 ? 'x' : body.slice(from, end);
}

/** `text`: headers, an empty line, the body, and the line end that belongs to the delimiter behind it. */
function readPart(text: string): Part {
  const headers = new HeaderList();
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end).trimEnd();
    at = end + 1;
    if (line === '') break;
    const colon = line.indexOf(':');
    if (/^[ \t]/.test(line)) headers.continueLast(line.trim());
    else if (colon > 0) headers.push(canonicalName(line.slice(0, colon).trimEnd()), line.slice(colon + 1).trim());
  }
  return { headers, body: text.slice(at).replace(/\r?\n$/, '') };
}
