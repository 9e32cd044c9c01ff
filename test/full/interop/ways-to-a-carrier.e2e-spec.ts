import { afterEach, expect, it } from '@jest/globals';
import type { EmbeddedEngine, Trunk } from '@app/telephony';
import { DnsServer, type Zone } from './dns-server.js';
import { SIP_PROGRAMS, startKamailio, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { freePort } from '../../support/free-port.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

const destination = { kind: 'e164' as const, number: '+15550002222' };
const log = { debug: () => undefined, warn: () => undefined };
let engine: EmbeddedEngine | undefined;
const peers: SipPeer[] = [];
const servers: DnsServer[] = [];

afterEach(async () => {
  await engine?.close();
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  for (const server of servers.splice(0)) server.close();
});

async function engineAsking(zone: Zone): Promise<EmbeddedEngine> {
  const server = await DnsServer.start(zone);
  servers.push(server);
  const sip = { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-interop', log, dnsServers: [server.address] };
  engine = await startTestEngine({ sip });
  return engine;
}

async function sipp(scenario: string, o: { transport?: 'udp' | 'tcp'; verdict?: string } = {}): Promise<SipPeer> {
  const peer = await startSipp({ scenario, transport: 'udp', ...o });
  peers.push(peer);
  return peer;
}

const srv = (priority: number, port: number) => ({ priority, weight: 0, port, name: 'gateway.carrier.test' });
const gateway = { 'A gateway.carrier.test': ['127.0.0.1'] };

async function answeredThenHungUp(from: EmbeddedEngine, targets: Trunk['targets']): Promise<void> {
  const { leg, ended } = dialTo(from, 0, 'udp', { destination, trunk: { targets } });
  await eventOf(leg, 'answered');
  leg.hangup('agent_hangup');
  expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
}

suite('a carrier with a domain name', () => {
  it('is called over the transport that its NAPTR prefers', async () => {
    const [tcp, udp] = await Promise.all([sipp('answer', { transport: 'tcp' }), freePort()]);
    const naptr = (order: number, service: string, replacement: string) =>
      ({ order, preference: 1, flags: 's', service, replacement }) as const;
    const from = await engineAsking({
      'NAPTR carrier.test': [
        naptr(20, 'SIP+D2U', '_sip._udp.carrier.test'),
        naptr(10, 'SIP+D2T', '_sip._tcp.carrier.test'),
      ],
      'SRV _sip._tcp.carrier.test': [srv(1, tcp.port)],
      'SRV _sip._udp.carrier.test': [srv(1, udp)],
      ...gateway,
    });
    await answeredThenHungUp(from, [{ host: 'carrier.test', priority: 0 }]);
    expect(await tcp.exited).toBe(0);
  });

  it('is reached at its second server when the first refuses the connection', async () => {
    const [dead, alive] = await Promise.all([freePort(), sipp('answer', { transport: 'tcp' })]);
    const from = await engineAsking({
      'SRV _sip._tcp.carrier.test': [srv(2, alive.port), srv(1, dead)],
      ...gateway,
    });
    await answeredThenHungUp(from, [{ host: 'carrier.test', transport: 'tcp', priority: 0 }]);
    expect(await alive.exited).toBe(0);
  });

  it('is reached at its second server when the first responds with 503', async () => {
    const [overloaded, alive] = await Promise.all([
      sipp('reject', { verdict: '503 Service Unavailable' }),
      sipp('answer'),
    ]);
    const from = await engineAsking({
      'SRV _sip._udp.carrier.test': [srv(2, alive.port), srv(1, overloaded.port)],
      ...gateway,
    });
    await answeredThenHungUp(from, [{ host: 'carrier.test', transport: 'udp', priority: 0 }]);
    expect([await overloaded.exited, await alive.exited]).toEqual([0, 0]);
  });
});

suite.each(['udp', 'tcp'] as const)('a trunk over IPv6 and %s', (transport) => {
  const v6 = { bind: '::1', port: 0, userAgent: 'trunkline-interop', log };

  it('carries a call to SIPp', async () => {
    const peer = await startSipp({ scenario: 'answer', transport, host: '::1' });
    peers.push(peer);
    engine = await startTestEngine({ sip: v6 });
    await answeredThenHungUp(engine, [{ host: '[::1]', port: peer.port, transport, priority: 0 }]);
    expect(await peer.exited).toBe(0);
  });

  it('carries a call through Kamailio', async () => {
    const callee = await startSipp({ scenario: 'answer', transport: 'udp', host: '::1' });
    const proxy = await startKamailio({ calleePort: callee.port, algorithm: 'SHA-256', host: '::1' });
    peers.push(callee, proxy);
    engine = await startTestEngine({ sip: { ...v6, bind: '::' } });
    const targets = [{ host: '[::1]', port: proxy.port, transport, priority: 0 }];
    const trunk = { targets, username: 'trunkline', password: 'secret' };
    const { leg, ended } = dialTo(engine, 0, transport, { destination, trunk });
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(await callee.exited).toBe(0);
  });
});
