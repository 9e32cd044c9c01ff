import { describe, expect, it } from '@jest/globals';
import { parseCseq, serialize, type SipMessage, type SipRequest } from './message.js';
import { MalformedMessage, parseMessage } from './parse-message.js';
import { responseTo } from './responses.js';

const HEAD = [
  'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
  'From: <sip:a@example.com>;tag=1',
  'To: <sip:b@example.com>',
  'Call-ID: c1',
  'CSeq: 1 INVITE',
];
const INVITE = 'INVITE sip:b@example.com SIP/2.0';

function text(start: string, headers: string[], body = ''): Buffer {
  return Buffer.from([start, ...headers, '', body].join('\r\n'));
}

function parse(data: Buffer): SipMessage {
  const message = parseMessage(data);
  if (message instanceof MalformedMessage) throw new Error(message.problem);
  return message;
}

function problem(data: Buffer): MalformedMessage {
  const message = parseMessage(data);
  if (!(message instanceof MalformedMessage)) throw new Error('was accepted');
  return message;
}

describe('parseMessage', () => {
  it('reads a request', () => {
    const message = parse(text(INVITE, [...HEAD, 'Content-Length: 3'], 'v=0'));
    expect(message).toMatchObject({ kind: 'request', method: 'INVITE', uri: 'sip:b@example.com', body: 'v=0' });
    expect(parseCseq(message.headers.get('cseq'))).toEqual({ number: 1, method: 'INVITE' });
  });

  it.each([
    ['SIP/2.0 180 Ringing', 180, 'Ringing'],
    ['SIP/2.0 200 ', 200, ''],
    ['SIP/2.0 486', 486, ''],
    ['SIP/2.0 604 Gibt es nicht: ü', 604, 'Gibt es nicht: ü'],
  ])('reads the status line "%s"', (line, status, reason) => {
    expect(parse(text(line, HEAD))).toMatchObject({ kind: 'response', status, reason });
  });

  it('knows compact names, any case and spaces around the colon', () => {
    const compact = [
      'v: SIP/2.0/UDP h;branch=z9hG4bK1',
      'f:<sip:a@h>;tag=1',
      't : <sip:b@h>',
      'I: c1',
      'cseq: 1 INVITE',
    ];
    const { headers } = parse(text(INVITE, [...compact, 'm: <sip:a@h>', 'l: 0']));
    expect(headers.get('via')).toBe('SIP/2.0/UDP h;branch=z9hG4bK1');
    expect(headers.get('to')).toBe('<sip:b@h>');
    expect(headers.get('call-id')).toBe('c1');
    expect(headers.get('contact')).toBe('<sip:a@h>');
  });

  it('joins folded lines', () => {
    const { headers } = parse(text(INVITE, [...HEAD, 'Subject: one', ' two', '\tthree']));
    expect(headers.get('subject')).toBe('one two three');
  });

  it('reads several lines and comma lists as one list, except commas in quotes', () => {
    const routes = ['Record-Route: <sip:p1;lr>, "a, b" <sip:p2;lr>', 'Record-Route: <sip:p3;lr>'];
    expect(parse(text(INVITE, [...HEAD, ...routes])).headers.list('record-route')).toEqual([
      '<sip:p1;lr>',
      '"a, b" <sip:p2;lr>',
      '<sip:p3;lr>',
    ]);
  });

  it('accepts LF alone as a line end', () => {
    const message = parse(Buffer.from(`${INVITE}\n${HEAD.join('\n')}\n\nbody`));
    expect(message.body).toBe('body');
  });

  it('ignores bytes after the body of a datagram', () => {
    expect(parse(text(INVITE, [...HEAD, 'Content-Length: 2'], 'v=0garbage')).body).toBe('v=');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no empty line', Buffer.from(`${INVITE}\r\n${HEAD.join('\r\n')}`)],
    ['no start line', text('', HEAD)],
    ['a start line of two words', text('INVITE sip:b@h', HEAD)],
    ['spaces in the URI', text('INVITE sip:b @h SIP/2.0', HEAD)],
    ['a status below 100', text('SIP/2.0 042 X', HEAD)],
    ['a status of letters', text('SIP/2.0 abc X', HEAD)],
    ['HTTP', text('GET / HTTP/1.1', HEAD)],
    ['a NUL', text(INVITE, [...HEAD, 'Subject: a\0b'])],
    ['a bare CR, which would break a line of our response', text(INVITE, [...HEAD, 'Subject: a\rContact: x'])],
    ['no Via', text(INVITE, HEAD.slice(1))],
    ['an invalid Via', text(INVITE, ['Via: hello', ...HEAD.slice(1)])],
    ['two From', text(INVITE, [...HEAD, 'From: <sip:c@h>;tag=2'])],
    ['no Call-ID', text(INVITE, HEAD.toSpliced(3, 1))],
    ['random bytes', Buffer.from('ff00fe0d0a0d0a1234', 'hex')],
  ])('drops %s without a response', (_, data) => {
    expect(problem(data).request).toBeUndefined();
  });

  it.each([
    ['a Content-Length of letters', text(INVITE, [...HEAD, 'Content-Length: nine'])],
    ['a body shorter than announced', text(INVITE, [...HEAD, 'Content-Length: 10'], 'v=0')],
    ['another method in CSeq', text('OPTIONS sip:b@h SIP/2.0', HEAD)],
    ['a CSeq beyond 2**31', text(INVITE, [...HEAD.slice(0, 4), 'CSeq: 2147483648 INVITE'])],
    ['a line without a colon', text(INVITE, [...HEAD, 'what is this'])],
  ])('returns a request with %s to be answered with 400', (_, data) => {
    expect(problem(data)).toMatchObject({ status: 400, request: { kind: 'request' } });
  });

  it('returns a request of another SIP version to be answered with 505', () => {
    expect(problem(text('INVITE sip:b@h SIP/7.0', HEAD)).status).toBe(505);
  });

  it('never answers a malformed ACK or response', () => {
    const ack = [...HEAD.slice(0, 4), 'CSeq: 1 INVITE'];
    expect(problem(text('ACK sip:b@h SIP/2.0', ack)).request).toBeUndefined();
    expect(problem(text('SIP/2.0 200 OK', [...HEAD, 'Content-Length: 99'])).request).toBeUndefined();
  });

  it('survives 20,000 mutations of a message', () => {
    const original = text(INVITE, [...HEAD, 'Contact: "x" <sip:a@h;lr>;q=1', 'Content-Length: 3'], 'v=0');
    // A small generator with a fixed seed, so that a failure can be repeated.
    let seed = 42;
    const next = (below: number): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff) % below;
    for (let i = 0; i < 20_000; i++) {
      const data = Buffer.from(original);
      for (let flips = next(4); flips >= 0; flips--) data[next(data.length)] = next(256);
      expect(() => parseMessage(data.subarray(0, 1 + next(data.length)))).not.toThrow();
    }
  });
});

describe('a response', () => {
  const ECHOED = ['via', 'from', 'to', 'call-id', 'cseq'];

  // RFC 3261 §8.2.6: the values are copied. Names in ISO 8859-1 are invalid, but sent.
  it.each([
    ['ISO 8859-1', '"M\xfcller"'],
    ['UTF-8', Buffer.from('"Müller 😀 \ufffd"').toString('latin1')],
    ['both', `"M\xfcller ${Buffer.from('é').toString('latin1')}"`],
    ['a cut UTF-8 character', '"M\xc3"'],
    ['spaces of other scripts around it', '\xa0"M" \xe3\x80\x80'],
  ])('has the bytes of its request for a name in %s', (_, name) => {
    const lines = [
      `Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1;x=${name}, SIP/2.0/TCP h;y=${name}`,
      `Via: SIP/2.0/UDP h;z=${name}`,
      `From: ${name} <sip:a@example.com>;tag=1`,
      `To: <sip:b@example.com>;tag=2;x=${name}`,
      `Call-ID: c${name}`,
      'CSeq: 1  INVITE',
    ];
    const request = parse(Buffer.from([INVITE, ...lines, 'Content-Length: 0', '', ''].join('\r\n'), 'latin1'));
    const response = responseTo(request as SipRequest, 180);
    // Text of our own in another script, whose cut characters would be a line break.
    response.headers.push('user-agent', 'x\u010d\u010ay');
    const text = serialize(response).toString('latin1');
    const echoed = text.split('\r\n').filter((line) => ECHOED.includes(line.split(':')[0]!.toLowerCase()));
    expect(echoed).toEqual(lines);
    expect(Buffer.from(text, 'latin1').includes('x\u010d\u010ay')).toBe(true);
  });
});

describe('serialize', () => {
  it('can be parsed into the same message', () => {
    const message = parse(text(INVITE, [...HEAD, 'X-Custom-Header: ü'], 'body ü'));
    const again = parse(serialize(message));
    expect([again.body, again.headers.get('x-custom-header')]).toEqual(['body ü', 'ü']);
    expect(again.headers.get('content-length')).toBe('7');
  });

  it.each(['a\r\nVia: x', 'a\nb', 'a\rb', 'a\0'])('refuses a header value with a line break: %j', (value) => {
    expect(() => parse(text(INVITE, HEAD)).headers.add('subject', value)).toThrow('subject');
  });
});
