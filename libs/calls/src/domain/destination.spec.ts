import { allowList } from '@app/common';
import { sipDestination } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import {
  type Destination,
  duplicatesIn,
  insideProblem,
  parseDestination,
  callerNumber,
  dialledNumbers,
} from './destination.js';

const FORMAT = 'Each phone number must be in E.164 or SIP URI format';

/** Of 151 characters: with 4 for the scheme, 99 for the user and the @ between them it is a URI of 255. */
const LONG_HOST = `${'h'.repeat(50)}.${'h'.repeat(50)}.${'h'.repeat(49)}`;

describe('a destination', () => {
  it.each([
    ['+15550001111', '+15550001111'],
    ['+1 (555) 000-1111', '+15550001111'],
    [' +49 30 901820 ', '+4930901820'],
    ['+123456789012345', '+123456789012345'],
  ])('%j is the number %s', (text, address) => expect(parseDestination(text)).toEqual({ kind: 'e164', address }));

  it.each([
    ['sip:answer@127.0.0.1:5070', '127.0.0.1'],
    ['sip:alice@sip.example.com', 'sip.example.com'],
    ['SIP:Alice@Example.com', 'Example.com'],
    ['sip:+15550001111@example.com;transport=tcp', 'example.com'],
    ['sip:bob@[2001:db8::7]:5080;transport=UDP', '2001:db8::7'],
    ['sip:bob@sip.example.com;transport=tls', 'sip.example.com'],
    ['sip:+15550001111@sip.example.com;user=phone', 'sip.example.com'],
    ['sip:+15550001111@sip.example.com:5070;user=phone;transport=tcp', 'sip.example.com'],
    ['sip:+15550001111@sip.example.com;Transport=TCP;User=Phone', 'sip.example.com'],
    ["sip:a.b-c_d!~*'()&=+$,?/@h.example", 'h.example'],
    ['sip:caf%C3%A9@example.com', 'example.com'],
    ['sip:x@pbx', 'pbx'],
    ['sip:x@my_pbx', 'my_pbx'],
    ['sip:x@_sip.my_site.example.:5070', '_sip.my_site.example.'],
    ['sip:x@pbx:1', 'pbx'],
    ['sip:x@pbx:65535', 'pbx'],
    [`sip:${'x'.repeat(99)}@${LONG_HOST}`, LONG_HOST],
  ])('%s is a SIP URI the dialer can use', (text, host) => {
    const read = parseDestination(text);
    expect(read).toEqual({ kind: 'sip', address: `sip:${text.slice(4)}`, host });
    const uri = read.kind === 'sip' ? read.address : '';
    expect(sipDestination({ kind: 'sip', uri }, undefined).nextHops[0]!.host.replace(/[[\]]/g, '')).toBe(host);
  });

  it.each([
    ...['', ' ', '5550001111', '15550001111', '+0123456789', '+1234567890123456', '+1555000111a', '+1.555.000.1111'],
    ...[
      '++15550001111',
      '+1555',
      'tel:+15550001111',
      'alice@example.com',
      'sip:',
      'sip:example.com',
      'sip:@example.com',
    ],
    `sip:${'x'.repeat(100)}@${LONG_HOST}`,
    ...['sip:a@', 'sip:a b@example.com', 'sip:a@exa mple.com', 'sip:a@example.com:0', 'sip:a@example.com:65536'],
    ...[
      'sip:a@example.com:',
      'sip:a@999.1.1.1',
      'sip:a@127.1',
      'sip:a@0x7f.0.0.1',
      'sip:a@1.0x7f',
      'sip:a@2130706433',
      'sip:a@[::1',
      'sip:a@[zz::1]',
      'sip:a@::1',
      'sip:a@-x.com',
      'sip:a@x..com',
    ],
    ...['sip:a:secret@example.com', 'sip:a@example.com?Subject=x', 'sip:a@example.com;maddr=10.0.0.1'],
    ...['sip:a@example.com;transport=ws', 'sip:a;b@example.com', 'sip:<a>@example.com', 'sip:"a"@example.com'],
    ...['sip:a%0d%0aX@example.com', 'sip:a%1b@example.com', 'sip:a%7F@example.com', 'sip:a%zz@example.com'],
    ...[
      'sip:a@example.com\r\nX: y',
      'sip:a\u0000@example.com',
      'sip:é@example.com',
      `sip:${'a'.repeat(250)}@example.com`,
    ],
  ])('%j is not a destination', (text) => {
    const read = parseDestination(text);
    expect(read.kind === 'wrong' && read.problem).toContain(FORMAT);
  });

  it.each([5, null, undefined, {}, [], true])('%j is not a destination', (value) => {
    expect(parseDestination(value).kind).toBe('wrong');
  });

  it.each([
    ['sip:a@example.com;lr', true],
    ['sip:a@example.com;transport=ws', true],
    ['sip:a@example.com;user=phone;user=phone', true],
    ['sip:a@example.com?Subject=x', true],
    ['sip:a@example.com;maddr=10.0.0.1', true],
    ['sip:a@999.1.1.1;lr', false],
    ['sip:example.com;lr', false],
    ['sip:a@;lr', false],
  ])('%s: the error names unsupported parameters: %s', (text, isThat) => {
    const read = parseDestination(text);
    expect(read.kind === 'wrong' && read.problem.includes('only ;transport=udp')).toBe(isThat);
  });

  it('a sips URI is refused with the hint to use transport=tls', () => {
    const read = parseDestination('sips:alice@example.com');
    expect(read.kind === 'wrong' && read.problem).toMatch(/E\.164 or SIP URI format.*sips: is not supported/);
  });
});

describe('a SIP URI with a private host', () => {
  const loopback = allowList(['127.0.0.0/8']);

  it.each([
    ['sip:a@10.0.0.1', []],
    ['sip:a@127.0.0.1', []],
    ['sip:a@[::1]', []],
    ['sip:a@[::ffff:10.0.0.1]', []],
    ['sip:a@localhost', []],
    ['sip:a@redis', []],
    ['sip:a@LOCALHOST', []],
    ['sip:a@sbc.Internal.', []],
    ['sip:+15550001111@pbx.corp', []],
    ['sip:a@169.254.169.254', []],
    ['sip:a@[64:ff9b::a00:1]', []],
    ['sip:a@[fd00::1]', []],
    ['sip:a@10.0.0.1', loopback],
  ])('%s is refused, with allowed networks %j', (uri, allow) => {
    const read = parseDestination(uri);
    expect(read.kind === 'wrong' ? 'wrong' : insideProblem(read, allow)).toContain('not a public address');
  });

  it.each([
    ['sip:a@127.0.0.1:5070', loopback],
    ['sip:a@sip.example.com', []],
    // When private networks are allowed, the dialer checks the address that it resolves.
    ['sip:a@pbx.corp', loopback],
    ['+15550001111', []],
  ])('%s is accepted, with allowed networks %j', (uri, allow) => {
    const read = parseDestination(uri);
    expect(read.kind === 'wrong' ? 'wrong' : insideProblem(read, allow)).toBeUndefined();
  });
});

const read = (text: string): Destination => {
  const destination = parseDestination(text);
  if (destination.kind === 'wrong') throw new Error(text);
  return destination;
};

describe('duplicate destinations', () => {
  it.each<[string[], [number, number][]]>([
    [['+15550001111', '+15550002222'], []],
    [
      ['+1 (555) 000-1111', '+15550002222', '+15550001111', '+1-555-000-1111'],
      [
        [2, 0],
        [3, 0],
      ],
    ],
    [
      ['sip:a@pbx.example.com', 'sip:a@PBX.example.com.', 'SIP:a@pbx.example.com'],
      [
        [1, 0],
        [2, 0],
      ],
    ],
    [['sip:a@pbx.example.com', 'sip:A@pbx.example.com', 'sip:a@pbx.example.com:5060'], []],
    [['sip:a@h.example;transport=tcp;user=phone', 'sip:a@h.example;user=phone;transport=TCP'], [[1, 0]]],
    [['sip:a@h.example;transport=tcp', 'sip:a@h.example'], []],
    [
      ['sip:%61b@h.example', 'sip:ab@h.example', 'sip:a%2fb@h.example', 'sip:a%2Fb@h.example'],
      [
        [1, 0],
        [3, 2],
      ],
    ],
    [['sip:+15550001111@h.example', '+15550001111'], []],
  ])('are found by their indexes: %j', (texts, expected) => {
    expect(duplicatesIn(texts.map(read))).toEqual(expected);
  });
});

describe('the dialled number of an inbound call', () => {
  it.each([
    [['+15550001111'], ['+15550001111']],
    [['15550001111'], ['+15550001111']],
    [['0015550001111'], ['+15550001111']],
    [['01115550001111'], ['+15550001111']],
    [['+1 (555) 000-1111'], ['+15550001111']],
    [['trunk-user', '+15550001111', '15550001111'], ['+15550001111']],
    [
      ['5550001111', '+15550001111'],
      ['+5550001111', '+15550001111'],
    ],
    [['1001', '', 'alice', '12345678901234567890'], []],
  ])('%j stands for %j', (dialled, meant) => expect(dialledNumbers(dialled)).toEqual(meant));
});

describe('`from_number` of an inbound call', () => {
  it.each([
    [{ user: '+15550002222', host: 'carrier.example' }, '+15550002222'],
    [{ user: '0049301234567', host: 'carrier.example' }, '+49301234567'],
    [{ user: '5550002222', host: 'carrier.example' }, '5550002222'],
    [{ user: '1001', host: 'pbx.example' }, '1001'],
    [{ user: 'alice', host: 'pbx.example' }, 'sip:alice@pbx.example'],
    [{ user: '', host: 'pbx.example' }, 'sip:pbx.example'],
    [undefined, 'anonymous'],
    [{ user: 'a'.repeat(300), host: 'pbx.example' }, 'anonymous'],
    [{ user: 'a\r\nVia: b', host: 'pbx.example' }, 'anonymous'],
    [{ user: '"><script>', host: 'pbx.example' }, 'anonymous'],
  ])('from %j is %s', (caller, written) => expect(callerNumber(caller)).toBe(written));
});
