import type { SeededRandom } from '../support/seeded-random.js';

/** One way to break a message. Text is latin1: a character is a byte. */
export type Mutation = (message: string, random: SeededRandom) => string;

/** Where parsers stumble. */
const ODD_VALUES = [
  '',
  ' ',
  '\t',
  '"',
  '""',
  '"\\',
  '<',
  '>',
  '<>',
  '<sip:',
  'sip:',
  'sip:@',
  'sip:a@b@c',
  'sips:[::1]:99999',
  'sip:%00%ff@127.0.0.1',
  'sip:a@[::ffff:127.0.0.1',
  'tel:+1;phone-context=x',
  'sip:a;b=c@127.0.0.1;;;lr;;=x?y=z',
  ';',
  ';;;;',
  ';tag',
  ';tag=',
  '=',
  ',',
  ',,,,',
  '0',
  '-1',
  '4294967295',
  '4294967296',
  '99999999999999999999',
  '1e9',
  '0x10',
  'NaN',
  '__proto__',
  'constructor',
  'SIP/2.0/UDP',
  'SIP/2.0/UDP :5060',
  'SIP / 2.0 / UDP  127.0.0.1 ; branch=z9hG4bK;rport;received=;ttl=',
  'SIP/2.0/UDP 127.0.0.1:0;branch=',
  '1 INVITE',
  '0 ACK',
  '2147483648 INVITE',
  'INVITE 1',
  'application/sdp;charset=;',
  'multipart/mixed;boundary=""',
  'Digest',
  'Digest realm="x", nonce=, algorithm=SHA-512-256, qop="auth,auth-int"',
  'Q.850;cause=;text="',
  '*',
  '\u00c3\u00a9\u00ff\u00fe',
];
const HEADERS = [
  'Via',
  'v',
  'From',
  'f',
  'To',
  't',
  'Call-ID',
  'i',
  'CSeq',
  'Contact',
  'm',
  'Route',
  'Record-Route',
  'Content-Length',
  'l',
  'Content-Type',
  'c',
  'Require',
  'Supported',
  'k',
  'Session-Expires',
  'x',
  'Min-SE',
  'RSeq',
  'RAck',
  'Reason',
  'Max-Forwards',
  'Authorization',
  'WWW-Authenticate',
  'Proxy-Authenticate',
  'Retry-After',
  'Event',
  'Subscription-State',
  'Refer-To',
  'X-Odd',
];

const headEnd = (message: string): number => {
  const end = message.indexOf('\r\n\r\n');
  return end < 0 ? message.length : end;
};

/** Changes one line of the headers, or of the whole when there are none. */
function changeLine(message: string, random: SeededRandom, change: (line: string) => string[]): string {
  const end = headEnd(message);
  const lines = message.slice(0, end).split('\r\n');
  const at = random.int(0, lines.length - 1);
  lines.splice(at, 1, ...change(lines[at]!));
  return lines.join('\r\n') + message.slice(end);
}

const cut = (text: string, random: SeededRandom): [string, string] => {
  const at = random.int(0, text.length);
  return [text.slice(0, at), text.slice(at)];
};

const addHeaders = (message: string, headers: string): string => {
  const end = headEnd(message);
  return `${message.slice(0, end)}\r\n${headers}${message.slice(end)}`;
};

/** For everything that is made of lines: SIP and SDP. */
export const LINE_MUTATIONS: Record<string, Mutation> = {
  'as it is': (message) => message,
  'line left out': (message, random) => changeLine(message, random, () => []),
  'line doubled': (message, random) => changeLine(message, random, (line) => [line, line]),
  'line repeated often': (message, random) =>
    changeLine(message, random, (line) => Array<string>(random.int(10, 400)).fill(line)),
  'line without end': (message, random) =>
    changeLine(message, random, (line) => [line + 'x;'.repeat(random.int(100, 30_000))]),
  'value replaced': (message, random) =>
    changeLine(message, random, (line) => [line.replace(/([:=]) *.*$/, `$1 ${random.pick(ODD_VALUES)}`)]),
  'value extended': (message, random) => changeLine(message, random, (line) => [line + random.pick(ODD_VALUES)]),
  'number replaced': (message, random) =>
    changeLine(message, random, (line) => [
      line.replace(/\d+/, random.pick(['', '-1', '0', '65536', '9'.repeat(random.int(1, 400))])),
    ]),
  'line ends of LF': (message) => message.replaceAll('\r\n', '\n'),
  'bytes changed': (message, random) => {
    const bytes = Buffer.from(message, 'latin1');
    for (let n = random.int(1, 12); n > 0 && bytes.length > 0; n--)
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    return bytes.toString('latin1');
  },
  'bytes put in': (message, random) => {
    const [before, after] = cut(message, random);
    return before + random.bytes(random.int(1, 200)).toString('latin1') + after;
  },
  'cut off': (message, random) => cut(message, random)[0],
  'beginning cut off': (message, random) => cut(message, random)[1],
  'piece left out': (message, random) => {
    const [before, after] = cut(message, random);
    return before + after.slice(random.int(0, 40));
  },
  'piece repeated': (message, random) => {
    const [before, after] = cut(message, random);
    return before + after.slice(0, 30).repeat(random.int(2, 500)) + after;
  },
  'nothing but noise': (_message, random) => random.bytes(random.int(0, 1_400)).toString('latin1'),
};

/** For SIP. */
export const SIP_MUTATIONS: Record<string, Mutation> = {
  ...LINE_MUTATIONS,
  'header added': (message, random) => addHeaders(message, `${random.pick(HEADERS)}: ${random.pick(ODD_VALUES)}`),
  'header replaced': (message, random) => {
    const name = random.pick(HEADERS);
    return message.replace(new RegExp(`^${name}:.*$`, 'im'), () => `${name} : ${random.pick(ODD_VALUES)}`);
  },
  'header folded': (message, random) =>
    changeLine(message, random, (line) => {
      const [before, after] = cut(line, random);
      return [before, ` ${after}`];
    }),
  'header folded often': (message, random) =>
    addHeaders(message, `Subject: a\r\n${' b\r\n'.repeat(random.int(10, 15_000))} c`),
  'many headers': (message, random) => addHeaders(message, 'X-A: b\r\n'.repeat(random.int(100, 7_000)) + 'X-Z: z'),
  'many Vias': (message, random) =>
    addHeaders(
      message,
      Array.from({ length: random.int(50, 900) }, (_, n) => `Via: SIP/2.0/UDP h${n};branch=z9hG4bK${n}`).join('\r\n'),
    ),
  'Via with many values': (message, random) =>
    message.replace(
      /^Via: (.*)$/m,
      (_line, via: string) => `Via: ${Array<string>(random.int(20, 700)).fill(via).join(' , ')}`,
    ),
  'huge header': (message, random) =>
    addHeaders(
      message,
      `X-Huge: ${random.pick(['a', '"', '<', '\\', ' ', ';', ','])}`.padEnd(
        random.int(2_000, 60_000),
        random.pick(['a', '"', '<', '\\', ' ', ';', ',', '=']),
      ),
    ),
  'From without end': (message, random) =>
    message.replace(
      /^From: .*$/m,
      (line) => line + random.pick([';', ' ', '"', '<', ';tag', ';=']).repeat(random.int(100, 20_000)),
    ),
  'wrong length': (message, random) =>
    message.replace(
      /^Content-Length: .*$/m,
      `Content-Length: ${random.pick(['-1', '1', '5', '100', '99999', '999999999', '1e3', 'x', ''])}`,
    ),
  'bad CSeq': (message, random) =>
    message.replace(
      /^CSeq: .*$/m,
      `CSeq: ${random.pick(ODD_VALUES)} ${random.pick(['INVITE', 'ACK', 'BYE', 'invite', '', '\u00ff'])}`,
    ),
  'odd Request-URI': (message, random) =>
    message.replace(/^(\S+) \S+/, (_all, method: string) => `${method} ${random.pick(ODD_VALUES)}`),
  'odd method': (message, random) =>
    message.replace(/^\S+/, random.pick(['', 'invite', 'FOO', '\u0000', 'A'.repeat(5_000), 'SIP/2.0', 'PRACK'])),
  'odd version': (message, random) =>
    message.replaceAll('SIP/2.0', random.pick(['SIP/3.0', 'SIP/2', 'sip/2.0', 'HTTP/1.1', ''])),
  'tail behind the body': (message, random) => message + random.bytes(random.int(1, 300)).toString('latin1'),
};

/** For packets. */
export const PACKET_MUTATIONS: Record<string, (packet: Buffer, random: SeededRandom) => Buffer> = {
  'as it is': (packet) => packet,
  'bits flipped': (packet, random) => {
    const bytes = Buffer.from(packet);
    for (let n = random.int(1, 6); n > 0 && bytes.length > 0; n--)
      bytes[random.int(0, bytes.length - 1)]! ^= 1 << random.int(0, 7);
    return bytes;
  },
  'header noise': (packet, random) => Buffer.concat([random.bytes(Math.min(12, packet.length)), packet.subarray(12)]),
  'header noise of the right version': (packet, random) => {
    const bytes = Buffer.concat([random.bytes(Math.min(12, packet.length)), packet.subarray(12)]);
    if (bytes.length > 0) bytes[0] = 0x80 | (bytes[0]! & 0x3f);
    return bytes;
  },
  'cut off': (packet, random) => packet.subarray(0, random.int(0, packet.length)),
  extended: (packet, random) => Buffer.concat([packet, random.bytes(random.int(1, 1_400))]),
  'without payload': (packet) => packet.subarray(0, 12),
  padding: (packet, random) => {
    const bytes = Buffer.from(packet);
    if (bytes.length > 1) bytes[0]! |= 0x20;
    if (bytes.length > 1) bytes[bytes.length - 1] = random.int(0, 255);
    return bytes;
  },
  'sequence elsewhere': (packet, random) => {
    const bytes = Buffer.from(packet);
    if (bytes.length >= 12) bytes.writeUInt16BE(random.int(0, 0xffff), 2);
    return bytes;
  },
  'clock elsewhere': (packet, random) => {
    const bytes = Buffer.from(packet);
    if (bytes.length >= 12) bytes.writeUInt32BE(random.int(0, 2 ** 32 - 1), 4);
    return bytes;
  },
  'another source': (packet, random) => {
    const bytes = Buffer.from(packet);
    if (bytes.length >= 12) bytes.writeUInt32BE(random.int(0, 2 ** 32 - 1), 8);
    return bytes;
  },
  'nothing but noise': (_packet, random) => random.bytes(random.int(0, 1_500)),
};
