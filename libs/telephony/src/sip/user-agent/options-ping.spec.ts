import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DnsServer } from '../../../../../test/full/interop/dns-server.js';
import { closeAgents, startAgent } from '../../../../../test/full/interop/loopback-agents.js';
import { RawSipPeer } from '../../../../../test/full/interop/raw-sip-peer.js';
import type { NextHop } from '../locating/locate.js';

const HOST = '127.0.0.1';
const closers: { close(): unknown }[] = [];
afterEach(async () => {
  await closeAgents();
  for (const one of closers.splice(0)) one.close();
});

async function peer(status?: string): Promise<RawSipPeer> {
  const one = await RawSipPeer.start();
  closers.push(one);
  if (status !== undefined) void one.next('OPTIONS').then((options) => one.reply(options, status, { tag: 'peer' }));
  return one;
}

describe('OPTIONS to a trunk', () => {
  it.each(['200 OK', '401 Unauthorized', '404 Not Found', '405 Method Not Allowed', '500 Whatever'])(
    'answered with %s mean a reachable target',
    async (status) => {
      const [agent, { port }] = await Promise.all([startAgent(), peer(status)]);
      const result = await agent.options({ host: HOST, port });
      expect(result).toEqual({
        ...{ reachable: true, status: Number(status.slice(0, 3)), rttMs: expect.any(Number) },
        responder: { address: HOST, port },
      });
    },
  );

  it.each(['503 Service Unavailable', '408 Request Timeout'])(
    'answered with %s mean an unreachable target',
    async (status) => {
      const [agent, { port }] = await Promise.all([startAgent(), peer(status)]);
      const result = await agent.options({ host: HOST, port });
      expect(result).toMatchObject({ reachable: false, status: Number(status.slice(0, 3)) });
      expect(result.reason).toContain(status.slice(0, 3));
    },
  );

  it.each<[string, string, (silent: number) => NextHop]>([
    ['silent', 'There was no response in time.', (port) => ({ host: HOST, port })],
    ['refusing', 'The connection was refused', () => ({ host: HOST, port: 1, transport: 'tcp' })],
    ['without a name', 'no usable address', () => ({ host: 'none.test' })],
  ])('to a %s target are unreachable with a reason', async (_title, reason, hop) => {
    const dns = await DnsServer.start({});
    closers.push(dns);
    const silent = await peer();
    const agent = await startAgent({ dnsServers: [dns.address] });
    const result = await agent.options(hop(silent.port), 300);
    expect(result).toEqual({ reachable: false, reason: expect.stringContaining(reason) });
  });

  it('to an internal address are not sent, and the result has the reason', async () => {
    const checkAddress = (): never => {
      throw new Error('inside');
    };
    const agent = await startAgent({ checkAddress });
    const result = await agent.options({ host: HOST });
    expect(result).toEqual({ reachable: false, reason: expect.stringContaining('not allowed for calls') });
  });

  it('to several targets succeed with the first one that answers, which is preferred afterwards', async () => {
    const [dead, alive] = [await peer(), await startAgent()];
    const record = (priority: number, port: number) => ({ priority, weight: 0, port, name: 'here.test' });
    const dns = await DnsServer.start({
      'SRV _sip._udp.carrier.test': [record(1, dead.port), record(2, alive.port)],
      'A here.test': [HOST],
    });
    closers.push(dns);
    const agent = await startAgent({ dnsServers: [dns.address] });
    const hop = { host: 'carrier.test' };
    const responder = { address: HOST, port: alive.port };
    expect(await agent.options(hop, 300)).toMatchObject({ reachable: true, status: 200, responder });
    expect((await agent.locate([hop])).map((one) => one.port)).toEqual([alive.port, dead.port]);
  });

  it('fail at once when the connection closes, and not after Timer F', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end())).listen(0, HOST);
    closers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const agent = await startAgent({ timers: { t1: 500, t2: 4_000, t4: 5_000 } });
    const result = await agent.options({ host: HOST, port, transport: 'tcp' }, 20_000);
    expect(result).toEqual({ reachable: false, reason: 'The remote party closed the connection.' });
  });
});
