import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallLeg, type DialRequest, type EmbeddedEngine, type LegEnd } from '@app/telephony';
import { Client, Pool, type QueryResultRow } from 'pg';
import { headerOf, RawSipPeer } from '../interop/raw-sip-peer.js';
import { callWithSipp, SIP_PROGRAMS } from '../interop/sip-peers.js';
import { suiteWith } from '../../support/suite-with.js';
import { eventOf, startTestEngine, testMedia } from '../interop/test-engine.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventually, PATIENCE_MS } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const CARRIER = '127.0.0.2';
const STRANGER = '127.0.0.9';
const NUMBER = '+15550001111';
const DIGEST = { username: 'carrier', password: 'correct-horse' };
const log = { debug: () => undefined, warn: () => undefined };
const withSipp = suiteWith(SIP_PROGRAMS);

describe('inbound calls', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let account: TestAccount;
  let api: ApiClient;
  let port: number;
  let pool: Pool;
  const engines: EmbeddedEngine[] = [];
  let nextPort = 12_000;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    // A dialer reads the trunks at its start and then every few seconds.
    stack = await Stack.start({ dialers: 0 });
    account = await createAccount(stack, {
      name: 'acme',
      webhookUrl: `${sink.url}/acme`,
      trunk: { concurrent_calls: 2, inbound: { addresses: ['127.0.0.2', '127.0.0.3'] } },
    });
    await createAccount(stack, {
      name: 'other',
      webhookUrl: `${sink.url}/other`,
      trunk: { inbound: DIGEST },
    });
    pool = new Pool({ connectionString: stack.database.url, max: 1 });
    api = apiOf(stack, account);
    port = Number((await stack.add('dialer')).ready.sip_port);
  });

  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });
  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
    await sink?.close();
  });

  async function phoneAt(bind: string): Promise<EmbeddedEngine> {
    const ports = { min: nextPort, max: nextPort + 98 };
    nextPort += 100;
    const sip = { bind, port: 0, userAgent: 'carrier', log };
    const engine = await startTestEngine({ sip, media: testMedia({ bindAddress: bind, ports }) });
    engines.push(engine);
    return engine;
  }

  function call(phone: EmbeddedEngine, more: Partial<DialRequest> = {}): { leg: CallLeg; ended: Promise<LegEnd> } {
    const leg = phone.dial({
      legId: 'carrier',
      destination: { kind: 'e164', number: NUMBER },
      from: { number: '+15557770001' },
      trunk: { targets: [{ host: '127.0.0.1', port, transport: 'udp', priority: 0 }] },
      ringTimeoutMs: 10_000,
      ...more,
    });
    return { leg, ended: new Promise((resolve) => leg.on('ended', resolve)) };
  }

  const signed = (credentials: { username?: string; password?: string } = {}): Partial<DialRequest> => ({
    trunk: {
      targets: [{ host: '127.0.0.1', port, transport: 'tcp', priority: 0 }],
      ...DIGEST,
      ...credentials,
    },
  });

  const query = async <T extends QueryResultRow>(text: string): Promise<T[]> => (await pool.query<T>(text)).rows;
  const inboundCalls = () => query<{ id: string }>(`SELECT id FROM calls WHERE direction = 'inbound' ORDER BY id`);
  const newest = async (): Promise<string> => (await inboundCalls()).at(-1)!.id;
  const untilEvent = (id: string, event: string) => sink.until(() => sink.eventsOf(id).includes(event));

  withSipp('from SIPp', () => {
    it('are answered, by address and by digest', async () => {
      const before = (await inboundCalls()).length;
      expect(await callWithSipp({ scenario: 'call-in', port, from: '127.0.0.3', number: NUMBER })).toBe(0);
      // SIPp 3.6 reads only the first challenge, and supports only MD5.
      const md5 = Number((await stack.add('dialer', { SIP_DIGEST: 'MD5' })).ready.sip_port);
      const digest = { scenario: 'call-in-digest', port: md5, from: '127.0.0.5', number: '15550001111' };
      expect(await callWithSipp(digest)).toBe(0);
      expect(await callWithSipp({ ...digest, transport: 'tcp' })).toBe(0);
      expect(await inboundCalls()).toHaveLength(before + 3);
    });

    it('from unknown sources get 403 over TCP after some attempts and always 401 over UDP, for every number, and leave no row', async () => {
      const before = await inboundCalls();
      const stranger = await phoneAt(STRANGER);
      const overTcp = signed({ username: undefined, password: undefined });
      for (let i = 0; i < 21; i++) expect((await call(stranger, overTcp).ended).sipCode).toBe(i < 20 ? 401 : 403);
      for (const number of [NUMBER, '+15559999999']) {
        const flood = { scenario: 'call-in-refused', port, from: STRANGER, number, calls: 300 };
        expect(await callWithSipp(flood)).toBe(0);
      }
      expect(await inboundCalls()).toEqual(before);
    });
  });

  it('are answered over UDP after forged packets from the address of their trunk', async () => {
    const forged = await RawSipPeer.start('127.0.0.10');
    const invite = (n: number) =>
      [
        `INVITE sip:${NUMBER}@127.0.0.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.10:${forged.port};branch=z9hG4bKforged${n}`,
        'From: <sip:x@127.0.0.10>;tag=x',
        `To: <sip:${NUMBER}@127.0.0.1>`,
        `Call-ID: forged${n}`,
        'CSeq: 1 INVITE',
        `Authorization: Digest username="carrier", realm="sip", nonce="n", uri="sip:x", response="r", qop=auth, cnonce="c", nc=00000001`,
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n');
    for (let n = 0; n < 50; n++) {
      forged.send(invite(n), port);
      expect(await forged.next('SIP/2.0')).toMatch(/^SIP\/2\.0 401 /);
    }
    forged.close();
    const targets = [{ host: '127.0.0.1', port, transport: 'udp', priority: 0 } as const];
    const { leg, ended } = call(await phoneAt('127.0.0.10'), { trunk: { targets, ...DIGEST } });
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    await ended;
    await untilEvent(await newest(), 'ended');
  });

  it('of an exchange with a routing number, host names with underscores, names in ISO 8859-1 and an odd video line are answered', async () => {
    const exchange = await RawSipPeer.start('127.0.0.3', 'latin1');
    const offer = [
      ...[
        'v=0',
        'o=- 1 1 IN IP4 127.0.0.3',
        's=-',
        'c=IN IP4 127.0.0.3',
        't=0 0',
        'm=audio  40000 RTP/AVP  0',
        'a=sendrecv',
      ],
      ...['m=video 0 RTP/AVP', 'a=inactive', ''],
    ].join('\r\n');
    const request = (method: string, uri: string, to: string, body = ''): string =>
      [
        `${method} ${uri} SIP/2.0`,
        `Via: SIP/2.0/UDP my_exchange:${exchange.port};branch=z9hG4bKodd${method};rport`,
        'From: "J\xfcrgen" <sip:sales@my_exchange>;tag=exchange',
        `To: ${to}`,
        'Call-ID: exchange',
        `CSeq: ${method === 'BYE' ? 2 : 1} ${method}`,
        `Contact: <sip:exchange@my_exchange:${exchange.port}>`,
        'P-Asserted-Identity: <sip:sales@my_exchange>, <tel:+1-555-777-0002>',
        ...(body === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n');
    const called = `sip:${NUMBER};npdi=yes;rn=+15559990000@127.0.0.1`;
    exchange.send(request('INVITE', called, '<sip:+15550002222@my_exchange>', offer), port);
    const ok = await exchange.next('SIP/2.0 200');
    expect(headerOf(ok, 'From')).toBe('"J\xfcrgen" <sip:sales@my_exchange>;tag=exchange');
    expect(ok.match(/^(?:m=\w+|a=(?:sendrecv|inactive))/gm)).toEqual(['m=audio', 'a=sendrecv', 'm=video']);
    const uri = /<(.*)>/.exec(headerOf(ok, 'Contact'))![1]!;
    exchange.send(request('ACK', uri, headerOf(ok, 'To')), port);
    const id = await newest();
    await untilEvent(id, 'in-progress');
    expect(await api.call(id)).toMatchObject({ from_number: '+15557770002', to_number: NUMBER });
    exchange.send(request('BYE', uri, headerOf(ok, 'To')), port);
    await exchange.next('SIP/2.0 200');
    await untilEvent(id, 'ended');
    exchange.close();
  });

  it('of a trunk that floods wait for each other, and those of other accounts are answered meanwhile', async () => {
    const flood = await RawSipPeer.start('127.0.0.3');
    const holder = new Client({ connectionString: stack.database.url });
    await holder.connect();
    // As if the decision about the first call took a long time: no other one of the account can be decided.
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM dial_gates WHERE account_id = $1 FOR UPDATE', [account.accountId]);
    const request = (method: string, n: number) =>
      [
        `${method} sip:${NUMBER}@127.0.0.1 SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.3:${flood.port};branch=z9hG4bKflood${n}`,
        'From: <sip:x@127.0.0.3>;tag=x',
        `To: <sip:${NUMBER}@127.0.0.1>`,
        `Call-ID: flood${n}`,
        `CSeq: 1 ${method}`,
        `Contact: <sip:x@127.0.0.3:${flood.port}>`,
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n');
    const numbers = Array.from({ length: 120 }, (_, n) => n);
    for (const n of numbers) flood.send(request('INVITE', n), port);
    expect(headerOf(await flood.next('SIP/2.0 503'), 'Retry-After')).toBe('5');
    const { leg, ended } = call(await phoneAt('127.0.0.4'), signed());
    await eventOf(leg, 'answered');
    leg.hangup('agent_hangup');
    await ended;
    for (const n of numbers) flood.send(request('CANCEL', n), port);
    await flood.next('SIP/2.0 487');
    await holder.query('ROLLBACK');
    await holder.end();
    flood.close();
    // The calls that waited have been decided, and their lines are free again.
    const phone = await phoneAt(CARRIER);
    const outcome = async () => {
      const one = call(phone);
      one.leg.on('answered', () => one.leg.hangup('agent_hangup'));
      return (await one.ended).status;
    };
    await eventually(outcome, (status) => status === 'completed', PATIENCE_MS);
    for (const { id } of await inboundCalls()) await untilEvent(id, 'ended');
  });

  it('end as lost when their dialer dies', async () => {
    const { leg } = call(await phoneAt(CARRIER));
    await eventOf(leg, 'answered');
    const id = await newest();
    await untilEvent(id, 'in-progress');
    const dialer = stack.processes.find((one) => one.role === 'dialer')!;
    await stack.kill(dialer);
    await stack.add('dialer');
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    expect(await api.call(id)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost', direction: 'inbound' });
  });
});
