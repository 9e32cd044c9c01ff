import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server as PlainServer } from 'node:net';
import { connect, createServer as createTlsServer, type Server } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Certificate, TestAuthority } from '../../../../../test/full/interop/certificates.js';
import {
  answerCall,
  closeAgents,
  dial,
  resultOf,
  startAgent,
} from '../../../../../test/full/interop/loopback-agents.js';
import type { TlsSettings } from './flow.js';
import type { NextHop } from '../locating/locate.js';
import { TRANSPORT_ERROR_MEANINGS, type TransportErrorCode } from './transport-error.js';
import type { SipUserAgent, UserAgentOptions } from '../user-agent/user-agent.js';

let authority: TestAuthority;
let stranger: TestAuthority;
let carrier: Certificate;

beforeAll(() => {
  authority = new TestAuthority();
  stranger = new TestAuthority('another authority');
  carrier = authority.issue(['DNS:carrier.test']);
});
afterAll(() => {
  authority.remove();
  stranger.remove();
});
afterEach(closeAgents);

function listener(certificate = carrier, o: { caFile?: string } = {}): Promise<SipUserAgent> {
  const { certFile, keyFile } = certificate;
  return startAgent({ tls: { port: 0, certFile, keyFile, ...o } });
}

function hopTo(callee: SipUserAgent, tls: TlsSettings = {}): NextHop {
  const settings = { serverName: 'carrier.test', ca: authority.ca, ...tls };
  return { host: '127.0.0.1', port: callee.tlsPort, transport: 'tls', tls: settings };
}

describe('TLS', () => {
  it('carries several calls over one connection, with Via and Contact that say so', async () => {
    const [caller, callee] = await Promise.all([startAgent(), listener()]);
    const seen = new Set<string>();
    callee.onInvite((call) => {
      seen.add(`${call.remote.transport} ${call.remote.port}`);
      const at = `127.0.0.1:${call.remote.port}`;
      expect(call.header('Via')).toMatch(new RegExp(`^SIP/2.0/TLS ${at.replaceAll('.', '\\.')};`));
      // Without a listener, the connection itself is the return path.
      expect(call.header('Contact')).toBe(`<sip:+15550001@${at};transport=tls>`);
      call.once('confirmed', () => call.hangup());
      answerCall(call);
    });
    const nextHops = [hopTo(callee)];
    for (let i = 0; i < 3; i++)
      expect(await resultOf(dial(caller, callee.port, { nextHops }))).toEqual({ kind: 'bye', by: 'remote' });
    expect([...seen]).toEqual([expect.stringMatching(/^tls \d+$/)]);
  });

  it('announces its listener in Contact, and is reached there', async () => {
    const [caller, callee] = await Promise.all([listener(), listener()]);
    const contacts: (string | undefined)[] = [];
    callee.onInvite((call) => {
      contacts.push(call.header('Contact'));
      call.once('confirmed', () => call.hangup());
      answerCall(call);
    });
    await resultOf(dial(caller, callee.port, { nextHops: [hopTo(callee)] }));
    expect(contacts).toEqual([`<sip:+15550001@127.0.0.1:${caller.tlsPort};transport=tls>`]);
  });

  it('is promised by both Contacts when the URI is sips: (RFC 5630)', async () => {
    const requests: string[] = [];
    const tap: UserAgentOptions['tap'] = (direction, message) => {
      if (direction === 'out' && message.kind === 'request') requests.push(message.uri);
    };
    const [caller, callee] = await Promise.all([startAgent({ tap }), listener()]);
    const contacts: (string | undefined)[] = [];
    callee.onInvite((call) => {
      contacts.push(call.header('Contact')?.slice(0, 6));
      answerCall(call);
    });
    const requestUri = `sips:+15550002@127.0.0.1:${callee.tlsPort}`;
    const call = dial(caller, callee.tlsPort, { requestUri, nextHops: [hopTo(callee)] });
    await once(call, 'answered');
    call.hangup();
    await closeAgents();
    expect(contacts).toEqual(['<sips:']);
    // ACK and BYE go to the Contact of the 2xx: the callee's own sips: URI.
    expect([...new Set(requests)]).toEqual([requestUri]);
  });

  it.each<[string, string[], string]>([
    ['a name of several', ['DNS:other.test', 'DNS:carrier.test'], 'carrier.test'],
    ['a SIP domain (RFC 5922)', ['URI:sip:carrier.test'], 'carrier.test'],
    ['a wildcard, as carriers have it', ['DNS:*.carrier.test'], 'pstn.carrier.test'],
    ['an address', ['IP:127.0.0.1'], '127.0.0.1'],
  ])('accepts a certificate for %s', async (_title, names, serverName) => {
    const [caller, callee] = await Promise.all([startAgent(), listener(authority.issue(names))]);
    expect(await caller.options(hopTo(callee, { serverName }))).toMatchObject({ reachable: true, status: 200 });
  });

  it('presents its certificate to a peer that requests one', async () => {
    const client = authority.issue(['DNS:dialer.test']);
    const [caller, callee] = await Promise.all([startAgent(), listener(carrier, { caFile: authority.caFile })]);
    const { cert, key } = client;
    expect(await caller.options(hopTo(callee, { cert, key }))).toMatchObject({ reachable: true });
  });

  it('does not share a connection between trunks with different TLS settings', async () => {
    const [caller, callee] = await Promise.all([startAgent(), listener()]);
    expect(await caller.options(hopTo(callee))).toMatchObject({ reachable: true });
    expect(await caller.options(hopTo(callee, { ca: stranger.ca }))).toMatchObject({ reachable: false });
    expect(await caller.options(hopTo(callee, { serverName: 'bank.test' }))).toMatchObject({ reachable: false });
  });

  it('loads a renewed certificate without a restart, and keeps the old one while the files do not match', async () => {
    const { certFile, keyFile } = authority.issue(['DNS:old.test']);
    const renewed = authority.issue(['DNS:new.test']);
    const said: string[] = [];
    let wake: () => void = () => undefined;
    const say = (message: string): void => {
      said.push(message);
      wake();
    };
    const log = { debug: say, warn: say };
    const until = async (part: string): Promise<void> => {
      while (!said.some((one) => one.includes(part))) await new Promise<void>((resolve) => (wake = resolve));
    };
    const callee = await startAgent({ log, tls: { port: 0, certFile, keyFile, recheckMs: 20 } });
    const caller = await startAgent();
    copyFileSync(renewed.certFile, certFile);
    await until('cannot be renewed');
    expect(await caller.options(hopTo(callee, { serverName: 'old.test' }))).toMatchObject({ reachable: true });
    copyFileSync(renewed.keyFile, keyFile);
    await until('was renewed');
    expect(await caller.options(hopTo(callee, { serverName: 'new.test' }))).toMatchObject({ reachable: true });
  });

  it('does not start with a certificate that cannot be read', async () => {
    const tls = { port: 0, certFile: stranger.caFile, keyFile: carrier.keyFile };
    await expect(startAgent({ tls })).rejects.toThrow(/key values mismatch/);
  });

  it('is refused to a client without the required certificate', async () => {
    const callee = await listener(carrier, { caFile: authority.caFile });
    const socket = connect({ port: callee.tlsPort, host: '127.0.0.1', ca: authority.ca, servername: 'carrier.test' });
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
  });
});

describe('a TLS peer that is not trusted', () => {
  const servers: { close(): unknown }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const listening = async (server: Server | PlainServer): Promise<number> => {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const tlsPort = (certificate: Certificate, options = {}): Promise<number> =>
    listening(createTlsServer({ cert: certificate.cert, key: certificate.key, ...options }));

  it.each<[TransportErrorCode, () => Promise<number>]>([
    ['untrusted_certificate', () => tlsPort(stranger.issue(['DNS:carrier.test']))],
    ['wrong_certificate_name', () => tlsPort(authority.issue(['DNS:other.test', 'DNS:*.carrier.test']))],
    ['wrong_certificate_name', () => tlsPort(authority.issue(['URI:sip:other.test']))],
    ['expired_certificate', () => tlsPort(authority.issue(['DNS:carrier.test'], { days: -1 }))],
    ['client_certificate_refused', () => tlsPort(carrier, { requestCert: true, ca: authority.ca })],
    [
      // TLS 1.2 has no specific alert for it.
      'tls_handshake_failed',
      () => tlsPort(carrier, { requestCert: true, ca: authority.ca, maxVersion: 'TLSv1.2' }),
    ],
    [
      'tls_handshake_failed',
      () => tlsPort(carrier, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    ],
    [
      'tls_not_spoken',
      () =>
        listening(
          createServer((socket) =>
            socket
              .on('error', () => undefined)
              .resume()
              .end('SIP/2.0 400 ?\r\n\r\n'),
          ),
        ),
    ],
    ['connection_lost', () => listening(createServer((socket) => socket.destroy()))],
    ['connection_refused', () => Promise.resolve(1)],
  ])('is reported as %s', async (problem, start) => {
    const logged: unknown[] = [];
    const log = { debug: (_message: string, fields: unknown) => logged.push(fields), warn: () => undefined };
    const caller = await startAgent({ log });
    const tls = { serverName: 'carrier.test', ca: authority.ca };
    const port = await start();
    const hop = { host: '127.0.0.1', port, transport: 'tls' as const, tls };
    expect(await caller.options(hop)).toEqual({ reachable: false, reason: TRANSPORT_ERROR_MEANINGS[problem] });
    expect(await resultOf(dial(caller, port, { nextHops: [hop] }))).toMatchObject({ kind: 'unreachable' });
  });
});
