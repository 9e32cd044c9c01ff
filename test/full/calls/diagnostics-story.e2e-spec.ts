import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { headerOf, RawSipPeer } from '../interop/raw-sip-peer.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { PATIENCE_MS } from '../../support/eventually.js';
import { aToken } from '../../support/factories.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

type Diagnostics = Schemas['DiagnosticsDto'];

const withTcpdump = suiteWith(['tcpdump']);

describe('the diagnostics of a call', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let sink: WebhookSink;
  let account: TestAccount;
  let api: ApiClient;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    phone = await startSandboxPhone({
      bind: '127.0.0.1',
      port: 0,
      rtpPorts: { min: 27_000, max: 27_199 },
      ringMs: 20,
      log: { debug: () => {}, warn: () => {} },
    });
    stack = await Stack.start();
    account = await createAccount(stack, { name: 'acme', webhookUrl: `${sink.url}/hook`, trunk: { port: phone.port } });
    api = apiOf(stack, account);
  });

  afterAll(async () => {
    await stack?.stop();
    await phone?.close();
    await sink?.close();
  });

  const place = async (uri: string) => {
    return (await api.createCall({ to_number: uri, record: false })).call_id;
  };
  const ended = (callId: string) => sink.until(() => sink.eventsOf(callId).includes('ended'));
  const summaries = (found: Diagnostics) =>
    found.legs[0]?.ladder.map(({ direction, summary }) => `${direction} ${summary}`);
  /** They come about a second after what they tell of. */
  const diagnosticsOnce = async (
    callId: string,
    holds: (found: Diagnostics) => boolean,
    as = api,
  ): Promise<Diagnostics> => {
    for (const late = AbortSignal.timeout(PATIENCE_MS); ;) {
      const found = await as.diagnostics(callId);
      if (holds(found)) return found;
      if (late.aborted) throw new Error(`The diagnostics stayed at ${JSON.stringify(summaries(found))}`);
    }
  };
  const raw = (path: string, headers: Record<string, string> = {}) =>
    fetch(path.startsWith('http') ? path : `${stack.baseUrl}/api/v1${path}`, {
      headers: { authorization: `Bearer ${account.token}`, ...headers },
    });

  describe('that was answered', () => {
    let callId: string;
    let found: Diagnostics;

    beforeAll(async () => {
      callId = await place(`sip:hangup_after_1@127.0.0.1:${phone.port}`);
      await ended(callId);
      found = await diagnosticsOnce(callId, ({ legs }) => legs[0]?.rtp != null && legs[0].ladder.length >= 6);
    });

    it('show every message from the INVITE to the response to the BYE, in order', () => {
      const uri = `sip:hangup_after_1@127.0.0.1:${phone.port}`;
      expect(summaries(found)).toEqual([
        `out INVITE ${uri}`,
        'in 180 Ringing',
        'in 200 OK',
        expect.stringMatching(/^out ACK sip:/),
        expect.stringMatching(/^in BYE sip:/),
        'out 200 OK',
      ]);
      const ladder = found.legs[0]!.ladder;
      expect(ladder[0]).toMatchObject({
        to: `127.0.0.1:${phone.port}`,
        transport: 'udp',
        offset_ms: 0,
        cseq: '1 INVITE',
      });
      expect(ladder[0]!.message).toMatch(/\r\n\r\nv=0\r\n/);
      expect(ladder.every((step, i) => i === 0 || step.offset_ms >= ladder[i - 1]!.offset_ms)).toBe(true);
      expect(found).toMatchObject({ call_id: callId, left_out: 0, legs: [{ leg: 1, direction: 'outbound' }] });
    });

    it('have RTP statistics of both directions, and a summary of them in the webhook', () => {
      const { rtp } = found.legs[0]!;
      expect(rtp).toMatchObject({ lost: 0, duplicates: 0 });
      expect(rtp!.sent).toBeGreaterThan(10);
      expect(rtp!.received).toBeGreaterThan(10);
      const { data } = sink.of(callId).find(({ body }) => body.event === 'ended')!.body;
      expect(data.media_quality).toMatchObject({ loss_rate: 0 });
    });

    it.each([
      ['?format=text', {}],
      ['', { accept: 'text/plain' }],
    ])('are drawn for people (%s)', async (query, headers: Record<string, string>) => {
      const answer = await raw(`/calls/${callId}/diagnostics${query}`, headers);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const lines = (await answer.text()).split('\n');
      expect(lines[0]).toBe(`Call ${callId}: completed, normal_clearing`);
      expect(lines).toContainEqual(expect.stringMatching(/^ {4}0\.000 +\|-- INVITE sip:.* \[SDP\] -+>\|/));
      expect(lines).toContainEqual(expect.stringMatching(/\|<- BYE sip:.*\|/));
      expect(lines).toContainEqual(expect.stringMatching(/^ {2}RTP: .*sent \d+, received \d+, lost 0/));
    });

    it('can be downloaded as a capture', async () => {
      const answer = await raw(found.pcap_url);
      expect(answer.headers.get('content-type')).toBe('application/vnd.tcpdump.pcap');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${callId}.pcap"`);
      const file = Buffer.from(await answer.arrayBuffer());
      for (const { message } of found.legs[0]!.ladder) expect(file.includes(message)).toBe(true);
    });

    withTcpdump('and tcpdump', () => {
      it('reads them as SIP over UDP', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'trunkline-pcap-'));
        const path = join(folder, 'sip.pcap');
        await writeFile(path, Buffer.from(await (await raw(found.pcap_url)).arrayBuffer()));
        const text = execFileSync('tcpdump', ['-r', path, '-n', '-vv', '-A'], { encoding: 'utf8', stdio: 'pipe' });
        await rm(folder, { recursive: true });
        // A busy machine repeats messages.
        const sent = found.legs[0]!.ladder.map(({ retransmissions }) => 1 + retransmissions);
        expect(text.match(/\[udp sum ok\]/g)).toHaveLength(sent.reduce((sum, times) => sum + times, 0));
        expect(text).not.toMatch(/bad (?:udp )?cksum/);
        expect(text).toContain(`127.0.0.1.${phone.port}: `);
        expect(text).toMatch(/CSeq: 1 INVITE/);
      });
    });

    it('are deleted with the call', async () => {
      await api.deleteCall(callId);
      await expect(api.diagnostics(callId)).rejects.toMatchObject({ status: 404 });
      expect(await rowsOf(stack, callId)).toBe(0);
    });
  });

  it('count retransmissions', async () => {
    const peer = await RawSipPeer.start();
    try {
      const callId = await place(`sip:a@127.0.0.1:${peer.port}`);
      await peer.next('INVITE');
      const again = await peer.next('INVITE');
      for (const _time of ['first', 'second']) peer.reply(again, '603 Decline', { tag: 'x' });
      await ended(callId);
      const repeated = (found: Diagnostics) => found.legs[0]?.ladder.map((step) => step.retransmissions);
      const found = await diagnosticsOnce(callId, (one) => repeated(one)?.join() === '1,1,1');
      expect(summaries(found)?.[1]).toBe('in 603 Decline');
    } finally {
      peer.close();
    }
  });

  it('report lost audio', async () => {
    const peer = await RawSipPeer.start();
    const rtp = createSocket('udp4').bind(0, '127.0.0.1');
    await once(rtp, 'listening');
    try {
      const callId = await place(`sip:a@127.0.0.1:${peer.port}`);
      const invite = await peer.next('INVITE');
      peer.reply(invite, '200 OK', { tag: 'x', headers: [`Contact: <sip:a@127.0.0.1:${peer.port}>`], body: sdp(rtp) });
      await peer.next('ACK');
      await sendWithGaps(rtp, Number(/^m=audio (\d+)/m.exec(invite)?.[1]));
      peer.send(byeFor(invite, peer.port));
      await ended(callId);
      const { legs } = await diagnosticsOnce(callId, (found) => found.legs[0]?.rtp != null);
      expect(legs[0]!.rtp).toMatchObject({ received: 45, lost: 5, loss_rate: 0.1 });
      const { data } = sink.of(callId).find(({ body }) => body.event === 'ended')!.body;
      expect(data.media_quality).toMatchObject({ loss_rate: 0.1 });
    } finally {
      peer.close();
      rtp.close();
    }
  });

  it('hide the tags of a live call from readers, and a stranger who has them cannot end it', async () => {
    const [peer, stranger] = await Promise.all([RawSipPeer.start(), RawSipPeer.start('127.0.0.2')]);
    const rtp = createSocket('udp4').bind(0, '127.0.0.1');
    await once(rtp, 'listening');
    const pool = new Pool({ connectionString: stack.database.url, max: 1 });
    try {
      const reader = { ...account, token: await aToken(pool, account.accountId, ['calls:read']) };
      const callId = await place(`sip:a@127.0.0.1:${peer.port}`);
      const invite = await peer.next('INVITE');
      peer.reply(invite, '200 OK', { tag: 'x', headers: [`Contact: <sip:a@127.0.0.1:${peer.port}>`], body: sdp(rtp) });
      await peer.next('ACK');
      const answered = (found: Diagnostics) => found.legs[0]?.ladder.length === 3;
      const tag = /;tag=(\w+)/.exec(headerOf(invite, 'From'))![1]!;
      const branch = /;branch=(\w+)/.exec(headerOf(invite, 'Via'))![1]!;
      const whole = await diagnosticsOnce(callId, answered);
      expect(whole.legs[0]!.ladder[0]!.message).toContain(`;tag=${tag}`);
      const seen = JSON.stringify(await diagnosticsOnce(callId, answered, apiOf(stack, reader)));
      expect(seen).toContain(headerOf(invite, 'Call-ID'));
      const bytes = { headers: { authorization: `Bearer ${reader.token}` } };
      const capture = Buffer.from(await (await fetch(whole.pcap_url, bytes)).arrayBuffer()).toString('latin1');
      expect(capture).toContain('INVITE sip:a@127.0.0.1');
      for (const text of [seen, capture]) for (const secret of [tag, branch]) expect(text).not.toContain(secret);
      const port = Number(/<[^>]*:(\d+)/.exec(headerOf(invite, 'Contact'))![1]);
      stranger.send(byeFor(invite, stranger.port), port);
      await stranger.next('SIP/2.0 481');
      expect((await api.call(callId)).status).toBe('in_progress');
      peer.send(byeFor(invite, peer.port));
      await peer.next('SIP/2.0 200');
      await ended(callId);
      const after = await diagnosticsOnce(callId, (found) => found.legs[0]?.rtp != null, apiOf(stack, reader));
      expect(after.legs[0]!.ladder[0]!.message).toContain(`;tag=${tag}`);
    } finally {
      await pool.end();
      for (const one of [peer, stranger, rtp]) one.close();
    }
  });
});

/** How much is kept for the diagnostics of a call. */
async function rowsOf(stack: Stack, callId: string): Promise<number> {
  const client = new Client({ connectionString: stack.database.url });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    `SELECT (SELECT count(*) FROM call_sip_messages WHERE call_id = $1)
      + (SELECT count(*) FROM call_leg_reports WHERE call_id = $1) AS count`,
    [callId],
  );
  await client.end();
  return Number(rows[0]?.count);
}

const sdp = (rtp: Socket): string =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${rtp.address().port} RTP/AVP 0\r\n`;

/** 50 packets of PCMU, less five on the way: one for each packet that comes, so that they are real in time, too. */
async function sendWithGaps(rtp: Socket, port: number): Promise<void> {
  const packet = Buffer.alloc(172, 0xff);
  for (let n = 0; n < 52; n++) {
    await once(rtp, 'message');
    // When the last two come, the one before them has been read.
    if (n % 10 === 5 || n >= 50) continue;
    packet.writeUInt32BE(0x80000000 + n, 0);
    packet.writeUInt32BE(n * 160, 4);
    packet.writeUInt32BE(7, 8);
    rtp.send(Buffer.from(packet), port, '127.0.0.1');
  }
}

/** A BYE of the callee in the dialog of `invite`. */
function byeFor(invite: string, port: number): string {
  const target = /<([^>]+)>/.exec(headerOf(invite, 'Contact'))?.[1];
  return [
    `BYE ${target} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKbye;rport`,
    'Max-Forwards: 70',
    `From: ${headerOf(invite, 'To')};tag=x`,
    `To: ${headerOf(invite, 'From')}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    'CSeq: 1 BYE',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}
