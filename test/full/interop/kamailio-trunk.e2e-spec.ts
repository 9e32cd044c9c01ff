import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  buildAnswer,
  TRANSPORT_ERROR_MEANINGS,
  SipUserAgent,
  type DialRequest,
  type EmbeddedEngine,
  type IncomingCall,
  type TransportErrorCode,
  type TlsSettings,
} from '@app/telephony';
import { TestAuthority, type Certificate } from './certificates.js';
import { SIP_PROGRAMS, startKamailio, startSipp, type SipPeer } from './sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { dialTo, eventOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(SIP_PROGRAMS);

const destination = { kind: 'e164' as const, number: '+15550002222' };

let authority: TestAuthority;
let carrier: Certificate;
let client: Certificate;

beforeAll(() => {
  authority = new TestAuthority();
  carrier = authority.issue(['DNS:carrier.test']);
  client = authority.issue(['DNS:dialer.test']);
});
afterAll(() => authority.remove());

suite.each([
  { transport: 'udp', algorithm: 'MD5', clientCertificate: 'no' },
  { transport: 'udp', algorithm: 'SHA-256', clientCertificate: 'no' },
  { transport: 'tcp', algorithm: 'MD5', clientCertificate: 'no' },
  { transport: 'tcp', algorithm: 'SHA-256', clientCertificate: 'no' },
  { transport: 'tls', algorithm: 'MD5', clientCertificate: 'no' },
  { transport: 'tls', algorithm: 'SHA-256', clientCertificate: 'a' },
] as const)(
  'a trunk over $transport with $algorithm digest and $clientCertificate client certificate',
  ({ transport, algorithm, clientCertificate }) => {
    let engine: EmbeddedEngine;
    let callee: SipUserAgent;
    const peers: SipPeer[] = [];

    beforeEach(async () => {
      engine = await startTestEngine();
      const log = { debug: () => undefined, warn: () => undefined };
      callee = await SipUserAgent.start({ bind: '127.0.0.1', port: 0, userAgent: 'callee', log });
    });
    afterEach(async () => {
      await Promise.all([engine.close(), callee.close()]);
      await Promise.all(peers.splice(0).map((peer) => peer.stop()));
    });

    async function trunk(calleePort: number, password = 'secret'): Promise<Partial<DialRequest> & { port: number }> {
      const shown = clientCertificate === 'a' ? { cert: client.cert, key: client.key } : {};
      const asked = clientCertificate === 'a' ? { clientCaFile: authority.caFile } : {};
      const peer = await startKamailio({ calleePort, algorithm, tls: { ...carrier, ...asked } });
      peers.push(peer);
      const port = transport === 'tls' ? peer.tlsPort : peer.port;
      const targets = [{ host: '127.0.0.1', port, transport, priority: 0 }];
      const tls = { serverName: 'carrier.test', ca: authority.ca, ...shown };
      return { destination, port, trunk: { targets, username: 'trunkline', password, tls } };
    }

    it('carries a call that the agent hangs up', async () => {
      const sipp = await startSipp({ scenario: 'answer', transport: 'udp' });
      peers.push(sipp);
      const { port, ...request } = await trunk(sipp.port);
      const { leg, ended } = dialTo(engine, port, transport, request);
      await eventOf(leg, 'answered');
      leg.hangup('agent_hangup');
      expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
      expect(await sipp.exited).toBe(0);
    });

    it('carries a call that the callee hangs up, with the number in the Request-URI', async () => {
      let called = '';
      callee.onInvite((call: IncomingCall) => {
        called = call.requestUser;
        call.ring();
        call.answer(buildAnswer(call.offer!, { address: '127.0.0.1', port: 42_999, codecs: ['PCMA'] })!);
        call.once('confirmed', () => call.hangup());
      });
      const { port, ...request } = await trunk(callee.port);
      expect(await dialTo(engine, port, transport, request).ended).toMatchObject({
        status: 'completed',
        endedBy: 'callee',
      });
      expect(called).toBe('+15550002222');
    });

    it('carries a cancel to the callee', async () => {
      const cancelled = new Promise<void>((resolve) => {
        callee.onInvite((call) => {
          call.once('cancelled', resolve);
          call.ring();
        });
      });
      const { port, ...request } = await trunk(callee.port);
      const { leg, ended } = dialTo(engine, port, transport, request);
      await eventOf(leg, 'ringing');
      leg.hangup('cancelled');
      await cancelled;
      expect(await ended).toMatchObject({ status: 'cancelled' });
    });

    it('refuses a wrong password, which ends the call as auth_failed', async () => {
      const { port, ...request } = await trunk(callee.port, 'wrong');
      const end = await dialTo(engine, port, transport, request).ended;
      expect(end).toMatchObject({ status: 'failed', cause: 'auth_failed', sipCode: 407 });
    });
  },
);

suite('a trunk to Kamailio with OPTIONS over TLS', () => {
  let agent: SipUserAgent;
  let peer: Awaited<ReturnType<typeof startKamailio>> | undefined;

  beforeEach(async () => {
    const log = { debug: () => undefined, warn: () => undefined };
    agent = await SipUserAgent.start({ bind: '127.0.0.1', port: 0, userAgent: 'caller', log });
  });
  afterEach(async () => {
    await agent.close();
    await peer?.stop();
  });

  async function ping(tls: TlsSettings, o: { clientCaFile?: string } = {}): Promise<unknown> {
    peer = await startKamailio({ calleePort: 9, algorithm: 'MD5', tls: { ...carrier, ...o } });
    return agent.options({ host: '127.0.0.1', port: peer.tlsPort, transport: 'tls', tls });
  }

  it('counts as reachable when it answers OPTIONS with 405', async () => {
    const result = await ping({ serverName: 'carrier.test', ca: authority.ca });
    const responder = { address: '127.0.0.1', port: expect.any(Number) };
    expect(result).toEqual({ reachable: true, status: 405, rttMs: expect.any(Number), responder });
  });

  it.each<[TransportErrorCode, () => TlsSettings]>([
    ['untrusted_certificate', () => ({ serverName: 'carrier.test' })],
    ['wrong_certificate_name', () => ({ serverName: 'bank.test', ca: authority.ca })],
  ])('is unreachable with the reason %s', async (problem, tls) => {
    expect(await ping(tls())).toEqual({ reachable: false, reason: TRANSPORT_ERROR_MEANINGS[problem] });
  });

  it('is unreachable without the required client certificate', async () => {
    const tls = { serverName: 'carrier.test', ca: authority.ca };
    expect(await ping(tls, { clientCaFile: authority.caFile })).toMatchObject({ reachable: false });
  });
});
