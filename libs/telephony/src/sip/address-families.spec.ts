import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestAuthority, type Certificate } from '../../../../test/interop/certificates.js';
import { answerCall, closeAgents, dial, resultOf, startAgent } from '../../../../test/interop/loopback-agents.js';
import type { IncomingCall } from './incoming-call.js';
import type { HostToReach } from './resolve-target.js';

let authority: TestAuthority;
let certificate: Certificate;
beforeAll(() => {
  authority = new TestAuthority();
  certificate = authority.issue(['IP:::1', 'IP:127.0.0.1']);
});
afterAll(() => authority.remove());
afterEach(closeAgents);

describe.each(['udp', 'tcp', 'tls'] as const)('over %s', (transport) => {
  it.each([
    ['::1', '::1', '[::1]'],
    ['::', '::1', '[::1]'],
    ['::', '127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1', '127.0.0.1'],
  ])('an endpoint on %s calls %s, and both are told %s', async (bind, host, told) => {
    const { certFile, keyFile } = certificate;
    const options = { bind, tls: { port: 0, certFile, keyFile } };
    const [caller, callee] = await Promise.all([startAgent(options), startAgent(options)]);
    const calls: IncomingCall[] = [];
    callee.onInvite((call) => {
      calls.push(call);
      call.once('confirmed', () => call.hangup());
      answerCall(call);
    });
    const [from, to] = transport === 'tls' ? [caller.tlsPort, callee.tlsPort] : [caller.port, callee.port];
    const hop: HostToReach = { host, port: to, transport, tls: { ca: authority.ca } };
    const call = dial(caller, to, { requestUri: `sip:100@${told}:${to}`, nextHops: [hop] });
    expect(await resultOf(call)).toEqual({ kind: 'bye', by: 'remote' });
    const [{ remote }] = calls as [IncomingCall];
    expect(remote.address).toBe(host);
    const suffix = transport === 'udp' ? '' : `;transport=${transport}`;
    expect(calls[0]!.header('Contact')).toBe(`<sip:+15550001@${told}:${from}${suffix}>`);
    expect(calls[0]!.header('Via')).toMatch(`SIP/2.0/${transport.toUpperCase()} ${told}:${from};`);
  });

  it.each([
    ['0.0.0.0', '::1'],
    ['127.0.0.1', '::1'],
    ['::1', '127.0.0.1'],
  ])('an endpoint on %s does not reach %s', async (bind, host) => {
    const agent = await startAgent({ bind });
    const result = await agent.options({ host, port: 9, transport });
    expect(result).toEqual({ reachable: false, reason: 'The host name has no usable address.' });
  });
});

it.each([
  ['203.0.113.9', '127.0.0.1', '203.0.113.9'],
  ['203.0.113.9', '::1', '[::1]'],
])('the public address %s is told to far ends of its family: %s hears %s', async (publicAddress, host, told) => {
  const [caller, callee] = await Promise.all([startAgent({ bind: '::', publicAddress }), startAgent({ bind: '::' })]);
  const vias: (string | undefined)[] = [];
  callee.onInvite((call) => {
    vias.push(call.header('Via'));
    call.reject(486);
  });
  const nextHops = [{ host, port: callee.port, transport: 'udp' as const }];
  expect(await resultOf(dial(caller, callee.port, { nextHops }))).toMatchObject({ status: 486 });
  expect(vias[0]).toMatch(`SIP/2.0/UDP ${told}:${caller.port};`);
});
