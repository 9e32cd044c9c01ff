import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DnsServer } from '../../../../../test/full/interop/dns-server.js';
import { sipPlace, SipPlaces } from './sip-places.js';

const log = { debug: () => undefined, warn: () => undefined };

describe('places of SIP servers', () => {
  it.each([
    ['a name in another case', { host: 'SBC.Example.net' }, { host: 'sbc.example.net' }],
    ['a name with a final dot', { host: 'sbc.example.net.' }, { host: 'sbc.example.net' }],
    ['the default port', { host: 'sbc.example.net', port: 5060 }, { host: 'sbc.example.net', port: null }],
    ['the default port of TLS', { host: '192.0.2.1', port: 5061 }, { host: '192.0.2.1' }],
    ['another spelling of IPv6', { host: '[2001:DB8:0:0::1]' }, { host: '2001:db8::1' }],
    ['IPv4 as IPv6', { host: '[::ffff:192.0.2.1]', port: 5080 }, { host: '192.0.2.1', port: 5080 }],
    ['IPv4 as NAT64', { host: '[64:ff9b::192.0.2.1]' }, { host: '192.0.2.1' }],
    ['IPv4 as hexadecimal NAT64', { host: '64:FF9B:0::c000:201', port: 5080 }, { host: '192.0.2.1', port: 5080 }],
    ['IPv4 as hexadecimal IPv6', { host: '[::ffff:c000:201]' }, { host: '192.0.2.1' }],
  ])('are the same for %s', (_, one, other) => expect(sipPlace(one)).toBe(sipPlace(other)));

  it('differ by another port', () => {
    expect(sipPlace({ host: '192.0.2.1', port: 5080 })).not.toBe(sipPlace({ host: '192.0.2.1' }));
  });
});

describe('the addresses of places', () => {
  let server: DnsServer;
  let places: SipPlaces;

  beforeEach(async () => {
    server = await DnsServer.start({
      'A a.test': ['192.0.2.1', '192.0.2.2'],
      'AAAA a.test': ['2001:db8::1'],
      'SRV _sip._tcp.srv.test': [{ name: 'a.test', priority: 1, weight: 0, port: 5080 }],
      'SRV _sips._tcp.srv.test': [{ name: 'tls.test', priority: 1, weight: 0, port: 5061 }],
      'A tls.test': ['192.0.2.3'],
    });
    places = new SipPlaces({ servers: [server.address], log });
  });
  afterEach(() => server.close());

  it('are those of the name, and of the SRV records of every transport', async () => {
    const [literal, plain, srv] = await places.of(
      [{ host: '192.0.2.9' }, { host: 'A.test.' }, { host: 'srv.test' }],
      2_000,
    );
    expect(literal).toEqual(['192.0.2.9 sip']);
    expect(plain?.toSorted()).toEqual(['192.0.2.1 sip', '192.0.2.2 sip', '2001:db8::1 sip', 'a.test sip']);
    const viaTcp = ['192.0.2.1 5080', '192.0.2.2 5080', '2001:db8::1 5080'];
    expect(srv?.toSorted()).toEqual([...viaTcp, '192.0.2.3 sip', 'srv.test sip'].toSorted());
  });

  it('are the name alone when DNS does not respond in time', async () => {
    server.fallSilent();
    const startedAt = performance.now();
    expect(await places.of([{ host: 'a.test' }], 200)).toEqual([['a.test sip']]);
    // DNS is asked again and again for longer.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});
