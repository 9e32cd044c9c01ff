import { describe, expect, it } from '@jest/globals';
import type { Trunk } from './carrier-engine.js';
import { sipDestination, UndialableDestination } from './sip-destination.js';

const target = { host: 'sip.carrier.example', port: 5080, transport: 'tcp', priority: 0 } as const;
const trunk: Trunk = { targets: [target] };

describe('sipDestination', () => {
  it.each<[string, Partial<Trunk['targets'][number]>, Partial<Trunk>, string]>([
    ['with a port', {}, {}, 'sip:+15550002@sip.carrier.example:5080;user=phone'],
    ['with the default port', { port: 5060 }, {}, 'sip:+15550002@sip.carrier.example;user=phone'],
    [
      'with the default port of TLS',
      { port: 5061, transport: 'tls' },
      {},
      'sip:+15550002@sip.carrier.example;user=phone',
    ],
    ['with 5060 over TLS', { port: 5060, transport: 'tls' }, {}, 'sip:+15550002@sip.carrier.example:5060;user=phone'],
    ['without user=phone', {}, { userPhone: false }, 'sip:+15550002@sip.carrier.example:5080'],
  ])('writes a number for a trunk %s', (_, change, settings, requestUri) => {
    const over = { ...target, ...change };
    expect(sipDestination({ kind: 'e164', number: '+15550002' }, { targets: [over], ...settings })).toEqual({
      requestUri,
      nextHops: [over],
    });
  });

  it('returns every target of a trunk with its TLS settings', () => {
    const second = { host: '192.0.2.9', priority: 10 };
    const tls = { ca: 'PEM' };
    const { requestUri, nextHops } = sipDestination(
      { kind: 'e164', number: '+15550002' },
      { targets: [target, second], tls },
    );
    expect(requestUri).toBe('sip:+15550002@sip.carrier.example:5080;user=phone');
    expect(nextHops).toEqual([
      { ...target, tls },
      { ...second, tls },
    ]);
  });

  it.each([
    ['sip:bob@192.0.2.1', 'sip:bob@192.0.2.1', { host: '192.0.2.1' }],
    ['sips:b@h.example', 'sips:b@h.example', { host: 'h.example', transport: 'tls' }],
    ['sips:b@h.example;transport=tcp', 'sips:b@h.example', { host: 'h.example', transport: 'tls' }],
    [
      'sip:b@h.example:5070;transport=TCP',
      'sip:b@h.example:5070;transport=tcp',
      { host: 'h.example', port: 5070, transport: 'tcp' },
    ],
    ['sip:b@h;maddr=10.0.0.1;method=BYE?Subject=x', 'sip:b@h', { host: 'h' }],
    ['sip:b:password@h', 'sip:b@h', { host: 'h' }],
    ['sip:+15550002@h;user=phone', 'sip:+15550002@h;user=phone', { host: 'h' }],
    ['sip:1001@h;user=phone', 'sip:1001@h', { host: 'h' }],
    ['sip:b@h;user=phone', 'sip:b@h', { host: 'h' }],
    ['sip:*21#@h', 'sip:*21%23@h', { host: 'h' }],
  ])('%s', (uri, requestUri, nextHop) => {
    expect(sipDestination({ kind: 'sip', uri }, undefined)).toEqual({ requestUri, nextHops: [nextHop] });
  });

  it('sends a URI through a trunk when one is given', () => {
    expect(sipDestination({ kind: 'sip', uri: 'sip:bob@192.0.2.1' }, trunk)).toEqual({
      requestUri: 'sip:bob@192.0.2.1',
      nextHops: [target],
    });
  });

  it.each([
    ['tel:+1555'],
    ['sips:b@h;transport=udp'],
    ['sip:b@h;transport=sctp'],
    ['sip:b@h;transport=ws'],
    ['sip:b\r\nX: y@h'],
    ['sip:b>@h'],
    ['sip:b c@h'],
    ['sip:b@h h'],
    ['sip:"b"@h'],
  ])('refuses %j', (uri) => {
    expect(() => sipDestination({ kind: 'sip', uri }, undefined)).toThrow(UndialableDestination);
  });

  it.each(['15550002', '+0555', '+1555;x', '+1555\r\n', ''])('refuses the number %j', (number) => {
    expect(() => sipDestination({ kind: 'e164', number }, trunk)).toThrow(UndialableDestination);
  });

  it('a number needs a trunk', () => {
    expect(() => sipDestination({ kind: 'e164', number: '+15550002' }, undefined)).toThrow('trunk');
  });
});
