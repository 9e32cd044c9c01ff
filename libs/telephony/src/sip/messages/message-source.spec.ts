import { describe, expect, it } from '@jest/globals';
import type { TransportName } from '../transport/flow.js';
import { CallPeer, judgeSource, type MessageSource } from './message-source.js';

const at = (transport: TransportName, address: string, verifiedNames?: string[]): MessageSource => ({
  transport,
  address,
  ...(verifiedNames && { verifiedNames }),
});

describe('the source of a message', () => {
  it.each<[string, MessageSource, MessageSource, string]>([
    ['the address of the dialog', at('udp', '192.0.2.1'), at('udp', '192.0.2.1'), 'peer'],
    ['another address', at('udp', '192.0.2.1'), at('udp', '192.0.2.2'), 'foreign'],
    ['TCP, as large requests take it', at('udp', '192.0.2.1'), at('tcp', '192.0.2.1'), 'peer'],
    ['TCP from another address', at('udp', '192.0.2.1'), at('tcp', '192.0.2.2'), 'foreign'],
    ['another TCP connection', at('tcp', '192.0.2.1'), at('tcp', '192.0.2.1'), 'peer'],
    ['UDP, in a dialog over TCP', at('tcp', '192.0.2.1'), at('udp', '192.0.2.1'), 'weaker'],
    ['UDP, in a dialog over TLS', at('tls', '192.0.2.1'), at('udp', '192.0.2.1'), 'weaker'],
    ['TCP, in a dialog over TLS', at('tls', '192.0.2.1'), at('tcp', '192.0.2.1'), 'weaker'],
    ['another TLS connection of the address', at('tls', '192.0.2.1'), at('tls', '192.0.2.1'), 'peer'],
    ['a TLS connection of another address', at('tls', '192.0.2.1', ['a.test']), at('tls', '192.0.2.2'), 'foreign'],
    ['the same name', at('tls', '192.0.2.1', ['a.test', 'b.test']), at('tls', '192.0.2.2', ['b.test']), 'peer'],
    ['another name', at('tls', '192.0.2.1', ['a.test']), at('tls', '192.0.2.2', ['b.test']), 'foreign'],
    ['another spelling of an IPv6 address', at('udp', '2001:db8:0:0:0:0:0:1'), at('udp', '2001:db8::1'), 'peer'],
    ['a zone of a link-local address', at('udp', 'fe80::1'), at('udp', 'fe80::1%eth0'), 'peer'],
    ['another IPv6 address', at('udp', '2001:db8::1'), at('udp', '2001:db8::2'), 'foreign'],
  ])('%s', (_title, flow, source, verdict) => {
    expect(judgeSource(flow, source)).toBe(verdict);
  });

  it.each<[string, string, string]>([
    ['a target of the trunk', '192.0.2.10', 'peer'],
    ['a network of the trunk', '198.51.100.7', 'peer'],
    ['a network of another trunk', '198.51.100.8', 'foreign'],
    ['an unknown address', '203.0.113.1', 'foreign'],
  ])('%s, with the addresses of its trunk', (_title, address, verdict) => {
    const names: Record<string, string[]> = { '198.51.100.7': ['3', '7'], '198.51.100.8': ['8'] };
    const peer = new CallPeer({ callersAt: (one) => names[one] ?? [] }, ['7']);
    peer.add(['192.0.2.1', '192.0.2.10']);
    expect(judgeSource(at('udp', '192.0.2.1'), at('udp', address), peer)).toBe(verdict);
    expect(judgeSource(at('tls', '192.0.2.1'), at('udp', address), peer)).toBe('weaker');
  });

  it('is never that of a trunk in a call without one', () => {
    const peer = new CallPeer({ callersAt: () => ['7'] }, []);
    expect(judgeSource(at('udp', '192.0.2.1'), at('udp', '198.51.100.7'), peer)).toBe('foreign');
  });
});
