import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DnsServer, type Zone } from '../../../../../test/full/interop/dns-server.js';
import { DnsLookups } from './dns-lookups.js';
import { locate, type LocateOptions, type NextHop } from './locate.js';

const log = { debug: () => undefined, warn: () => undefined };
const srv = (name: string, priority = 1, port = 5060) => ({ name, priority, weight: 0, port });
const naptr = (order: number, service: string, replacement: string, flags = 's') => ({
  order,
  preference: 1,
  flags,
  service,
  replacement,
});

const zone: Zone = {
  'NAPTR naptr.test': [
    naptr(30, 'SIP+D2U', '_sip._udp.naptr.test'),
    naptr(20, 'SIP+D2T', '_sip._tcp.naptr.test'),
    naptr(10, 'SIPS+D2T', '_sips._tcp.naptr.test'),
    naptr(5, 'E2U+sip', 'enum.test', 'u'),
  ],
  'SRV _sips._tcp.naptr.test': [srv('a.test', 1, 5071)],
  'SRV _sip._tcp.naptr.test': [srv('a.test', 1, 5080)],
  'SRV _sip._udp.naptr.test': [srv('b.test', 2), srv('a.test', 1, 5090)],
  'SRV _sip._tcp.srv.test': [srv('a.test', 1, 5080)],
  'SRV _sip._udp.closed.test': [srv('.', 0, 0)],
  'SRV _sip._udp.no-udp.test': [srv('.', 0, 0)],
  'SRV _sip._tcp.no-udp.test': [srv('a.test', 1, 5080)],
  'A closed.test': ['192.0.2.9'],
  'A a.test': ['192.0.2.1', '192.0.2.2'],
  'AAAA a.test': ['2001:db8::1'],
  'A b.test': ['192.0.2.3'],
  'A inside.test': ['10.0.0.1', '192.0.2.7'],
  'A only-inside.test': ['10.0.0.1'],
};

describe('locating a hop', () => {
  let server: DnsServer;
  let now = 0;

  beforeEach(async () => {
    server = await DnsServer.start({ ...zone });
  });
  afterEach(() => server.close());

  const lookups = (): DnsLookups => new DnsLookups({ servers: [server.address], log, now: () => now });
  const options: LocateOptions = {
    transports: ['udp', 'tcp', 'tls'],
    families: [4],
    check: (address) => {
      if (address.startsWith('10.')) throw new Error('inside');
    },
  };
  async function places(hops: NextHop[], o: Partial<LocateOptions> = {}, dns = lookups()): Promise<string[]> {
    const found = await locate(hops, dns, { ...options, ...o });
    return found.map(
      ({ transport, address, port, tls }) => `${transport} ${address} ${port}${tls ? ` as ${tls.serverName}` : ''}`,
    );
  }

  it.each<[string, NextHop, string[], Partial<LocateOptions>?]>([
    ['a literal address needs no query', { host: '192.0.2.5' }, ['udp 192.0.2.5 5060']],
    [
      'a literal address with port and transport',
      { host: '192.0.2.5', port: 5, transport: 'tcp' },
      ['tcp 192.0.2.5 5'],
    ],
    ['TLS has its own port', { host: '192.0.2.5', transport: 'tls' }, ['tls 192.0.2.5 5061 as 192.0.2.5']],
    ['IPv6 in brackets', { host: '[2001:db8::5]' }, ['udp 2001:db8::5 5060'], { families: [6, 4] }],
    ['a port means no SRV', { host: 'a.test', port: 5062 }, ['udp 192.0.2.1 5062', 'udp 192.0.2.2 5062']],
    [
      'both families, IPv6 first',
      { host: 'a.test', port: 5062 },
      ['udp 2001:db8::1 5062', 'udp 192.0.2.1 5062', 'udp 192.0.2.2 5062'],
      { families: [6, 4] },
    ],
    [
      'NAPTR prefers TLS; the certificate is for the configured name',
      { host: 'naptr.test' },
      ['tls 192.0.2.1 5071 as naptr.test', 'tls 192.0.2.2 5071 as naptr.test'],
    ],
    [
      'NAPTR of a supported transport',
      { host: 'naptr.test' },
      ['udp 192.0.2.1 5090', 'udp 192.0.2.2 5090', 'udp 192.0.2.3 5060'],
      { transports: ['udp'] },
    ],
    [
      'a transport uses the SRV records of that transport',
      { host: 'naptr.test', transport: 'tcp' },
      ['tcp 192.0.2.1 5080', 'tcp 192.0.2.2 5080'],
    ],
    ['SRV without NAPTR chooses the transport', { host: 'srv.test' }, ['tcp 192.0.2.1 5080', 'tcp 192.0.2.2 5080']],
    [
      'a service that does not exist leaves the others',
      { host: 'no-udp.test' },
      ['tcp 192.0.2.1 5080', 'tcp 192.0.2.2 5080'],
    ],
    ['without SRV records, the host itself', { host: 'b.test' }, ['udp 192.0.2.3 5060']],
    ['without SRV records of that transport', { host: 'b.test', transport: 'tls' }, ['tls 192.0.2.3 5061 as b.test']],
    ['a trailing dot', { host: 'b.test.' }, ['udp 192.0.2.3 5060']],
    ['TLS settings mean TLS', { host: 'b.test', tls: { serverName: 'c.test' } }, ['tls 192.0.2.3 5061 as c.test']],
    ['internal addresses are omitted', { host: 'inside.test' }, ['udp 192.0.2.7 5060']],
  ])('%s', async (_title, hop, expected, ...[o]) => {
    expect(await places([hop], o)).toEqual(expected);
  });

  it.each<[string, NextHop, string]>([
    ['an unknown name', { host: 'none.test' }, 'UnresolvedHost'],
    ['a service that does not exist', { host: 'closed.test', transport: 'udp' }, 'UnresolvedHost'],
    ['an address of an unsupported family', { host: '2001:db8::1' }, 'UnresolvedHost'],
    ['internal addresses only', { host: 'only-inside.test' }, 'RefusedTarget'],
  ])('%s is an error', async (_title, hop, name) => {
    await expect(places([hop])).rejects.toMatchObject({ name });
  });

  it('orders hops by priority, without duplicates', async () => {
    const hops: NextHop[] = [
      { host: 'b.test', priority: 2 },
      { host: 'none.test', priority: 1 },
      { host: '192.0.2.5', priority: 1 },
      { host: '192.0.2.3', priority: 3 },
    ];
    expect(await places(hops)).toEqual(['udp 192.0.2.5 5060', 'udp 192.0.2.3 5060']);
  });

  it('caches records for 30 s and their absence for 5 s', async () => {
    const dns = lookups();
    const hops = [{ host: 'b.test', port: 5060 }];
    const missing = [{ host: 'late.test', port: 5060 }];
    now = 0;
    await places(hops, {}, dns);
    await expect(places(missing, {}, dns)).rejects.toThrow('no usable address');
    server.zone['A b.test'] = ['192.0.2.33'];
    server.zone['A late.test'] = ['192.0.2.44'];
    now = 4_999;
    await expect(places(missing, {}, dns)).rejects.toThrow('no usable address');
    now = 5_000;
    expect(await places(missing, {}, dns)).toEqual(['udp 192.0.2.44 5060']);
    now = 29_999;
    expect(await places(hops, {}, dns)).toEqual(['udp 192.0.2.3 5060']);
    now = 30_000;
    expect(await places(hops, {}, dns)).toEqual(['udp 192.0.2.33 5060']);
    expect(server.asked).toEqual(['A b.test', 'A late.test', 'A late.test', 'A b.test']);
  });

  it('shares one query between concurrent look-ups', async () => {
    const dns = lookups();
    await Promise.all([places([{ host: 'b.test', port: 1 }], {}, dns), places([{ host: 'b.test', port: 2 }], {}, dns)]);
    expect(server.asked).toEqual(['A b.test']);
  });

  it('gives up on a silent name server', async () => {
    server.fallSilent();
    const warned: unknown[] = [];
    const dns = new DnsLookups({ servers: [server.address], log: { ...log, warn: (...line) => warned.push(line) } });
    await expect(places([{ host: 'b.test', port: 5060 }], {}, dns)).rejects.toMatchObject({ name: 'UnresolvedHost' });
    expect(warned).toHaveLength(1);
  });

  it('resolves localhost without SRV queries', async () => {
    const dns = new DnsLookups({ log });
    expect(await places([{ host: 'localhost' }], {}, dns)).toEqual(['udp 127.0.0.1 5060']);
  });
});
