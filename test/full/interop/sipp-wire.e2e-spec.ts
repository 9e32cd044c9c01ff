import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { EmbeddedEngine } from '@app/telephony';
import { headerOf, RawSipPeer } from './raw-sip-peer.js';
import { LossyRelay, type Fate } from './lossy-relay.js';
import { SIP_PROGRAMS, startKamailio, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

suite('a call to SIPp over a disturbed connection:', () => {
  let engine: EmbeddedEngine;
  let sent: string[] = [];
  let departures: (() => void)[] = [];
  let relay: LossyRelay | undefined;
  let carrier: RawSipPeer | undefined;
  const peers: SipPeer[] = [];

  beforeEach(async () => {
    [sent, departures] = [[], []];
    engine = await startTestEngine({
      onSipEvent: (_, { direction, wire }) => {
        if (direction === 'in') return;
        sent.push(wire);
        for (const look of departures) look();
      },
    });
  });
  afterEach(async () => {
    carrier?.leave();
    await engine.close();
    carrier?.close();
    relay?.close();
    [carrier, relay] = [undefined, undefined];
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  });

  async function callee(
    scenario: string,
    o: { transport?: 'udp' | 'tcp'; verdict?: string; lenient?: boolean } = {},
  ): Promise<SipPeer> {
    const peer = await startSipp({ scenario, transport: 'udp', ...o });
    peers.push(peer);
    return peer;
  }

  /** Resolves when that many messages with that start have been sent. */
  const departed = (start: string, times: number) =>
    new Promise<void>((resolve) => {
      const look = (): void => void (sent.filter((wire) => wire.startsWith(start)).length >= times && resolve());
      departures.push(look);
      look();
    });

  const MESSAGES = ['INVITE', '180 INVITE', '200 INVITE', 'ACK', 'BYE', '200 BYE'];

  it.each([
    ...MESSAGES.map((one) => [one, 'lost', 0] as const),
    ...MESSAGES.map((one) => [one, 'doubled', 2] as const),
  ])('a call whose first %s is %s is answered and hung up, once', async (message, _, copies) => {
    // On a busy machine SIPp does not recognise a second copy of the INVITE.
    const peer = await callee('answer', { lenient: true });
    relay = await LossyRelay.start(peer.port, first(message, copies));
    const { leg, ended, events } = dialTo(engine, relay.port, 'udp');
    await eventOf(leg, 'answered');
    // SIPp accepts no BYE before the ACK.
    if (message === 'ACK' && copies === 0) await departed('ACK', 2);
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
    expect(events.filter((one) => one === 'answered')).toHaveLength(1);
    expect(await peer.exited).toBe(0);
  });

  it.each([
    ['486 INVITE', 0],
    ['486 INVITE', 2],
    ['ACK', 0],
    ['ACK', 2],
  ])('a busy call whose first %s arrives %i times ends as busy', async (message, copies) => {
    const peer = await callee('reject', { verdict: '486 Busy Here' });
    relay = await LossyRelay.start(peer.port, first(message, copies));
    expect(await dialTo(engine, relay.port, 'udp').ended).toMatchObject({ status: 'busy', cause: 'user_busy' });
    expect(await peer.exited).toBe(0);
  });

  it.each(['udp', 'tcp'] as const)('answers SHA-512-256 rather than MD5, over %s', async (transport) => {
    const peer = await callee('sha-512-256', { transport });
    const targets = [{ host: '127.0.0.1', port: peer.port, transport, priority: 0 }];
    const trunk = { targets, username: 'trunkline', password: 'secret' };
    const { leg, ended } = dialTo(engine, 0, transport, {
      destination: { kind: 'e164', number: '+15550002222' },
      trunk,
    });
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    await ended;
    expect(await peer.exited).toBe(0);
    const invites = sent.filter((wire) => wire.startsWith('INVITE'));
    expect(invites.map((wire) => wire.includes('Proxy-Authorization'))).toEqual([false, true]);
  });

  it('authenticates by SHA-512-256 as in RFC 7616', async () => {
    carrier = await RawSipPeer.start();
    const targets = [{ host: '127.0.0.1', port: carrier.port, transport: 'udp' as const, priority: 0 }];
    const trunk = { targets, username: 'trunkline', password: 'secret' };
    const { ended } = dialTo(engine, 0, 'udp', { destination: { kind: 'e164', number: '+15550002222' }, trunk });
    const challenge = 'Digest realm="a carrier", nonce="5d4877b3", algorithm=SHA-512-256, qop="auth"';
    const asked = await carrier.next('INVITE');
    carrier.reply(asked, '401 Unauthorized', { tag: 'one', headers: [`WWW-Authenticate: ${challenge}`] });
    const invite = await carrier.nextOther('INVITE', asked);
    const given = headerOf(invite, 'Authorization');
    const param = (name: string): string => new RegExp(`[ ,]${name}="?([^",]+)`).exec(given)?.[1] ?? '';
    const hash = (text: string): string => createHash('sha512-256').update(text).digest('hex');
    const who = hash('trunkline:a carrier:secret');
    const what = hash(`INVITE:${invite.split(' ')[1]}`);
    const proof = [who, '5d4877b3', param('nc'), param('cnonce'), 'auth', what].join(':');
    expect(param('response')).toBe(hash(proof));
    carrier.reply(invite, '486 Busy Here', { tag: 'two' });
    expect(await ended).toMatchObject({ status: 'busy' });
  });

  it.each([
    ['udp', '200 OK', { reachable: true, status: 200 }],
    ['tcp', '200 OK', { reachable: true, status: 200 }],
    ['udp', '404 Not Found', { reachable: true, status: 404 }],
    ['tcp', '401 Unauthorized', { reachable: true, status: 401 }],
    ['udp', '503 Service Unavailable', { reachable: false, status: 503 }],
    ['tcp', '408 Request Timeout', { reachable: false, status: 408 }],
  ] as const)('the health of a trunk over %s that responds with %s to OPTIONS', async (transport, verdict, health) => {
    const peer = await callee('options', { transport, verdict });
    const target = { host: '127.0.0.1', port: peer.port, transport, priority: 0 };
    expect((await engine.health({ targets: [target] })).targets).toEqual([
      expect.objectContaining({ target, ...health }),
    ]);
    expect(await peer.exited).toBe(0);
  });

  it('the health of a trunk reports each of its targets', async () => {
    const [well, full] = await Promise.all([
      callee('options', { verdict: '200 OK' }),
      callee('options', { verdict: '503 Overloaded' }),
    ]);
    const kamailio = await startKamailio({ calleePort: 9, algorithm: 'MD5' });
    peers.push(kamailio);
    const targets = [
      ...[well, full].map(({ port }, priority) => ({ host: '127.0.0.1', port, transport: 'udp' as const, priority })),
      ...(['udp', 'tcp'] as const).map((transport) => ({
        host: '127.0.0.1',
        port: kamailio.port,
        transport,
        priority: 2,
      })),
      { host: '127.0.0.1', port: 9, transport: 'tcp' as const, priority: 3 },
    ];
    const health = await engine.health({ targets });
    expect(health.targets.map(({ reachable, status }) => [reachable, status])).toEqual([
      [true, 200],
      [false, 503],
      [true, 405],
      [true, 405],
      [false, undefined],
    ]);
  });
});

/** The fate of the first message with that start; all others pass. */
function first(start: string, copies: number): Fate {
  let met = false;
  return (one) => {
    if (met || one !== start) return 1;
    met = true;
    return copies;
  };
}
