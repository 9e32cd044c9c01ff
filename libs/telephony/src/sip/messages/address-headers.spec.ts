import { describe, expect, it } from '@jest/globals';
import { parseParams, quoteName, splitOutsideQuotes } from './headers.js';
import { buildInvite, checkAddresses, type InviteAddresses } from '../user-agent/invite-requests.js';
import type { HeaderList } from './message.js';
import { DEFAULT_SESSION_TIMER } from '../dialogs/session-timer.js';
import { parseNameAddr, parseSipUri, parseVia, stampVia, tagOf, userOfUri } from './sip-address.js';

describe('parseNameAddr', () => {
  it.each([
    ['<sip:bob@h>', undefined, 'sip:bob@h', undefined],
    ['"Bob" <sip:bob@h;lr>;tag=1', 'Bob', 'sip:bob@h;lr', '1'],
    ['Bob Smith<sip:bob@h>;x=y;tag=a-b', 'Bob Smith', 'sip:bob@h', 'a-b'],
    ['sip:bob@h;tag=2', undefined, 'sip:bob@h', '2'],
    ['"a <sip:evil@x>;tag=9 \\" b" <sip:bob@h>;tag=3', 'a <sip:evil@x>;tag=9 " b', 'sip:bob@h', '3'],
    ['<sip:bob@h> ; TAG = 4', undefined, 'sip:bob@h', '4'],
  ])('%s', (value, displayName, uri, tag) => {
    const parsed = parseNameAddr(value);
    expect([parsed?.displayName, parsed?.uri, tagOf(value)]).toEqual([displayName, uri, tag]);
  });

  it.each(['', '<sip:bob@h', 'Bob sip:bob@h'])('refuses %j', (value) => {
    expect(parseNameAddr(value)).toBeUndefined();
  });
});

describe('parseSipUri', () => {
  it.each([
    ['sip:bob@example.com', 'bob', 'example.com', undefined],
    ['sip:example.com:5070', undefined, 'example.com', 5070],
    ['SIP:+1555:pw@192.0.2.1:5080;transport=tcp', '+1555', '192.0.2.1', 5080],
    ['sip:a@[2001:db8::1]:5061;lr', 'a', '[2001:db8::1]', 5061],
    ['sip:a@[::1]', 'a', '[::1]', undefined],
    ['sip:a@my_pbx', 'a', 'my_pbx', undefined],
    ['sip:a@_pbx_.my_site.example:5070;lr', 'a', '_pbx_.my_site.example', 5070],
    ['sip:1;phone-context=x@h;user=phone?Subject=hi', '1;phone-context=x', 'h', undefined],
  ])('%s', (text, user, host, port) => {
    expect(parseSipUri(text)).toMatchObject({ host });
    expect([parseSipUri(text)?.user, parseSipUri(text)?.port]).toEqual([user, port]);
  });

  it.each([
    '',
    'tel:+1555',
    'sip:',
    'sip:@h',
    'sip:a@',
    'sip:a@h:0',
    'sip:a@h:99999',
    'sip:a@h:5o',
    'sip:a@h h',
    'sip:a@-h',
    'sip:a@h/h',
  ])('refuses %j', (text) => {
    expect(parseSipUri(text)).toBeUndefined();
  });
});

describe('the number or name in a URI', () => {
  it.each([
    ['sip:+15550001111@h', '+15550001111'],
    // RFC 4694: the number is the called one also after a look-up of its carrier.
    ['sip:+15550001111;npdi=yes;rn=+15559990000@h', '+15550001111'],
    ['sip:+15550001111;npdi;rn=5559990000;rn-context=+1@h;user=phone', '+15550001111'],
    ['SIPS:+15550001111;ext=7:secret@h', '+15550001111'],
    ['sip:+1-555-000-1111@h;user=phone', '+15550001111'],
    ['sip:+1.555.000.1111@h', '+15550001111'],
    ['sip:+1(555)000-1111@h', '+15550001111'],
    ['sip:+1%20(555)%20000%201111@h', '+15550001111'],
    ['sip:%2B15550001111@h', '+15550001111'],
    ['sip:%2b1%35550001111%3bnpdi@h', '+15550001111'],
    ['sip:555-0001@h;transport=udp;user=phone', '5550001'],
    ['tel:+15550001111', '+15550001111'],
    ['TEL:+1-555-000-1111;npdi;rn=+15559990000', '+15550001111'],
    ['tel:%2B1(555)0001111', '+15550001111'],
    ['tel:7042;phone-context=example.com', '7042'],
    ['sip:+15550001111@not a host', '+15550001111'],
    ['sip:+15550001111@my_pbx', '+15550001111'],
    // Names keep what looks like separators.
    ['sip:press_8-key@h', 'press_8-key'],
    ['sip:100-200@h', '100-200'],
    ['sip:+a-b@h', '+a-b'],
    ['sip:a.b;x=y@h;user=phone', 'a.b'],
    ['sip:a%3Bb@h', 'a;b'],
    ['sip:h', ''],
    ['tel:', ''],
    ['mailto:a@b', ''],
    ['', ''],
  ])('%s: %s', (uri, user) => expect(userOfUri(uri)).toBe(user));
});

describe('Via', () => {
  it('reads a host with underscores', () => {
    expect(parseVia('SIP/2.0/UDP my_pbx:5070;branch=z9hG4bK1')).toMatchObject({ host: 'my_pbx', port: 5070 });
  });

  it('reads spaces, IPv6 and parameters', () => {
    const via = parseVia('SIP / 2.0 / tcp [2001:db8::9] : 5062 ;branch=z9hG4bK1; rport');
    expect(via).toMatchObject({ transport: 'TCP', host: '[2001:db8::9]', port: 5062 });
    expect(via?.params.get('rport')).toBe('');
  });

  it.each([
    ['SIP/2.0/UDP 192.0.2.1;branch=b', 'SIP/2.0/UDP 192.0.2.1;branch=b;received=198.51.100.7'],
    ['SIP/2.0/UDP 198.51.100.7;branch=b', 'SIP/2.0/UDP 198.51.100.7;branch=b'],
    ['SIP/2.0/UDP 192.0.2.1;rport;branch=b', 'SIP/2.0/UDP 192.0.2.1;rport=4000;branch=b;received=198.51.100.7'],
  ])('%s gets the source address', (value, stamped) => {
    expect(stampVia(value, parseVia(value)!, '198.51.100.7', 4000)).toBe(stamped);
  });
});

describe('parameters', () => {
  it('are split only outside quotes and brackets', () => {
    expect(splitOutsideQuotes('a, "b, c", <d,e> , ,f', ',')).toEqual(['a', '"b, c"', '<d,e>', 'f']);
    expect([...parseParams('a=1;B="x;\\"y";lr;a=2')]).toEqual([
      ['a', '1'],
      ['b', 'x;"y'],
      ['lr', ''],
    ]);
  });

  it('are read up to the hundredth', () => {
    const many = Array.from({ length: 30_000 }, (_, n) => `p${n}=${n}`).join(';');
    expect([...parseParams(many).keys()]).toEqual(Array.from({ length: 100 }, (_, n) => `p${n}`));
    expect(parseParams('a;'.repeat(30_000)).size).toBe(1);
  });
});

describe('an outgoing INVITE', () => {
  const good = { requestUri: 'sip:+1555@carrier.example;user=phone', from: { user: '+15550001' } };

  it('accepts ordinary addresses', () => {
    expect(checkAddresses({ ...good, headers: { 'X-Campaign': 'spring' } }).headers).toEqual([
      ['x-campaign', 'spring'],
    ]);
  });

  it.each([
    ['a line break in the Request-URI', { ...good, requestUri: 'sip:a@h\r\nVia: x' }],
    ['a bracket in the Request-URI', { ...good, requestUri: 'sip:a@h>' }],
    ['a line break in the From user', { ...good, from: { user: '1\r\nX: y' } }],
    ['a bracket in the From user', { ...good, from: { user: '1>' } }],
    ['a semicolon in the From user', { ...good, from: { user: '1;x' } }],
    ['a space in the From host', { ...good, from: { user: '1', host: 'a b' } }],
    ['a line break in a header', { ...good, headers: { 'X-A': 'a\r\nVia: b' } }],
    ['a header that the request always has', { ...good, headers: { Via: 'SIP/2.0/UDP 192.0.2.1' } }],
    ['the compact form of such a header', { ...good, headers: { i: 'another-call' } }],
    ['a colon in a header name', { ...good, headers: { 'X-A: b': 'a' } }],
  ])('refuses %s', (_, addresses) => {
    expect(() => checkAddresses(addresses)).toThrow('not allowed in a SIP message');
  });

  it.each([
    ['+15550001', 'sip:+1555@carrier.example', 'sip:+1555@carrier.example;user=phone', ';user=phone'],
    ['5550001', 'sip:+1555@carrier.example;user=phone', 'sip:+1555@carrier.example;user=phone', ''],
    ['+15550001', 'sip:1001@carrier.example', 'sip:1001@carrier.example', ';user=phone'],
    ['alice', 'sip:bob@carrier.example', 'sip:bob@carrier.example', ''],
    ['*31%23', 'sip:carrier.example', 'sip:carrier.example', ''],
  ])('marks E.164 users as phone numbers and nothing else: %s calls %s', (user, requestUri, uri, fromParams) => {
    expect(checkAddresses({ requestUri, from: { user }, userPhone: true })).toMatchObject({
      requestUri: uri,
      fromParams,
    });
  });

  const from = { user: '+15550001', displayName: 'Ann', host: 'ours.example' };
  const identity = '"Ann" <sip:+15550001@ours.example;user=phone>';

  function headersFor(options: Partial<InviteAddresses>): HeaderList {
    const addresses = checkAddresses({ ...good, from, userPhone: true, ...options });
    const parts = { callId: 'c', localTag: 't', cseq: 1, requestUri: good.requestUri, localHost: '192.0.2.1' };
    const rest = {
      contact: '<sip:x>',
      offer: '',
      userAgent: 'x',
      session: DEFAULT_SESSION_TIMER,
      require100rel: false,
    };
    return buildInvite(addresses, { ...parts, ...rest }).headers;
  }

  it('asserts the identity of From', () => {
    const headers = headersFor({ assertIdentity: true });
    expect(headers.get('p-asserted-identity')).toBe(identity);
    expect(headers.get('from')).toBe(`${identity};tag=t`);
    expect([headers.get('privacy'), headers.get('diversion')]).toEqual([undefined, undefined]);
  });

  it.each([
    [true, identity],
    [false, undefined],
  ])('hides the caller from the called party, but not from a trusted carrier (%s)', (assertIdentity, asserted) => {
    const headers = headersFor({ anonymous: true, assertIdentity, headers: { Privacy: 'none' } });
    expect(headers.get('from')).toBe('"Anonymous" <sip:anonymous@anonymous.invalid>;tag=t');
    expect(headers.lines('privacy')).toEqual(['id']);
    expect(headers.get('p-asserted-identity')).toBe(asserted);
    expect(headers.toString().includes('+15550001')).toBe(assertIdentity);
  });

  it.each([
    [false, 'off'],
    [true, 'full'],
  ])('names the party that diverted the call (anonymous: %s)', (anonymous, privacy) => {
    const diversion = `<sip:+15550009@ours.example;user=phone>;reason=deflection;counter=1;privacy=${privacy}`;
    expect(headersFor({ divertedFrom: '+15550009', anonymous }).get('diversion')).toBe(diversion);
    expect(() => headersFor({ divertedFrom: '1>\r\nX: y' })).toThrow('not allowed in a SIP message');
  });

  it('removes characters from a display name that could end it', () => {
    expect(quoteName('Eve" <sip:x@y>;\r\n\\')).toBe('"Eve sip:x@y"');
  });
});
