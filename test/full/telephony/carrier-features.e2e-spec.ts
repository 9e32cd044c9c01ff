import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '@app/client';
import { Client } from 'pg';
import { startBaresip, type Baresip } from '../interop/baresip.js';
import { TestAuthority } from '../interop/certificates.js';
import { toneMs } from '../interop/heard-tone.js';
import { BEHIND_NAT, relayToNattedPhone } from '../interop/natted-phone.js';
import type { LossyRelay } from '../interop/lossy-relay.js';
import { SIP_PROGRAMS, startKamailio, startSipp, type SipPeer } from '../interop/sip-peers.js';
import { PATIENCE_MS } from '../../support/eventually.js';
import { suiteWith } from '../../support/suite-with.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventOfCall, eventsOfCall } from '../../support/call-events.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const suite = suiteWith([...SIP_PROGRAMS, 'baresip']);

const COLLEAGUE = '+15550002200';
const TONE_HZ = 750;
const AUDIBLE = 100;
/** PCMA has no zero: its smallest step is 8. */
const SILENT = 10;
const WHOLE_STORY = ['initiated', 'ringing', 'in-progress', 'completed', 'ended'];
const LONG_GREETING = 'Hello, this is ACME, and we have a lot to tell you today. '.repeat(4);
/** A frame that was on its way, and the clock of another process. */
const MARGIN_MS = 100;

type Leg = Schemas['DiagnosticsDto']['legs'][number];
interface Story<P = SipPeer> {
  callee: P;
  call: PlacedCall;
}
type Webhook = Record<string, unknown> & { costs: { kind: string; quantity: number }[] };

suite('what carriers and their phones do, through the API', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let database: Client;
  const authority = new TestAuthority();
  const peers: SipPeer[] = [];
  let held: Story<Baresip>;
  let secure: Story<Baresip>;
  let natted: Story<Baresip>;
  let relay: LossyRelay | undefined;
  let [referred, declined, busy, ringing, ringingBusy]: Story[] = [];

  beforeAll(async () => {
    sink = await WebhookSink.start();
    stack = await Stack.start();
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
    // A conversation takes a while: all of them go on side by side.
    [held, secure, natted, referred, declined, busy, ringing, ringingBusy] = await Promise.all([
      placeHeld(),
      placeSecure(),
      placeNatted(),
      placeReferred('asks-for-transfer', '200 OK'),
      placeReferred('refuses-transfer', '603 Decline'),
      placeReferred('asks-for-transfer', '486 Busy Here'),
      placeTo('rings-then-answers'),
      placeTo('rings-then-busy', '486 Busy Here'),
    ]);
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await Promise.all(peers.map((peer) => peer.stop()));
    relay?.close();
    await sink?.close();
    authority.remove();
  });

  /** A call over a trunk of its own. */
  async function place(
    name: string,
    trunk: Record<string, unknown>,
    agent: Record<string, unknown> = {},
  ): Promise<PlacedCall> {
    const account: TestAccount = await createAccount(stack, {
      name,
      webhookUrl: `${sink.url}/hook`,
      trunk: { options_ping_seconds: 0, ...trunk },
      agent,
    });
    const api = apiOf(stack, account);
    const order = { to_number: '+15550002', trunk_id: account.trunkId };
    return new PlacedCall((await api.createCall(order)).call_id, api, sink, database);
  }

  async function phone(options: Parameters<typeof startBaresip>[0]): Promise<Baresip> {
    const started = await startBaresip(options);
    peers.push(started);
    return started;
  }

  async function sipp(scenario: string, verdict?: string): Promise<SipPeer> {
    const started = await startSipp({ scenario, transport: 'udp', ...(verdict === undefined ? {} : { verdict }) });
    peers.push(started);
    return started;
  }

  async function placeHeld(): Promise<Story<Baresip>> {
    const callee = await phone({ codec: 'PCMA', toneHz: 0 });
    return { callee, call: await place('held', { port: callee.port }, { greeting: LONG_GREETING }) };
  }

  async function placeSecure(): Promise<Story<Baresip>> {
    const callee = await phone({ codec: 'PCMU', toneHz: TONE_HZ, encryption: 'srtp-mand' });
    const tls = authority.issue(['DNS:carrier.test']);
    const kamailio = await startKamailio({ calleePort: callee.port, algorithm: 'SHA-256', tls });
    peers.push(kamailio);
    const trunk = {
      port: kamailio.tlsPort,
      transport: 'tls',
      tls: { ca: authority.ca, server_name: 'carrier.test' },
      username: 'trunkline',
      password: 'secret',
      srtp: 'required',
    };
    return { callee, call: await place('secure', trunk) };
  }

  async function placeNatted(): Promise<Story<Baresip>> {
    const callee = await phone({ codec: 'PCMU', toneHz: TONE_HZ });
    relay = await relayToNattedPhone(callee.port);
    return { callee, call: await place('natted', { port: relay.port }) };
  }

  /** The phone presses 8, which is how the sandbox agent is asked for a transfer. */
  function placeReferred(scenario: string, verdict: string): Promise<Story> {
    const agent = { call_transfer: { enabled: true, phone_number: COLLEAGUE } };
    return placeTo(scenario, verdict, { transfer: 'refer' }, agent);
  }

  async function placeTo(
    scenario: string,
    verdict?: string,
    trunk: Record<string, unknown> = {},
    agent?: Record<string, unknown>,
  ): Promise<Story> {
    const callee = await sipp(scenario, verdict);
    return { callee, call: await place(`${scenario}-${verdict}`, { port: callee.port, ...trunk }, agent) };
  }

  it('a phone that holds and resumes hears nothing in between, and the call tells of both', async () => {
    const { callee, call } = held;
    await call.written('turn_started');
    await callee.press('hold');
    const onHold = await call.written('hold');
    await call.diagnostics(({ ladder }) => ladder.some(({ message }) => message.includes('a=recvonly')));
    await callee.press('resume');
    const resumed = await call.written('resume');
    await call.diagnostics(({ ladder }) => ladder.filter(({ summary }) => summary.startsWith('INVITE')).length === 3);
    await call.hangUp();

    const [from, to] = [Number(onHold.data.at_ms), Number(resumed.data.at_ms)];
    const said = sideOf(await call.recording(), 'agent');
    expect(loudness(said, 0, from)).toBeGreaterThan(AUDIBLE);
    expect(to - from).toBeGreaterThan(3 * MARGIN_MS);
    expect(loudness(said, from + MARGIN_MS, to - MARGIN_MS)).toBeLessThan(SILENT);
    expect(loudness(said, to)).toBeGreaterThan(AUDIBLE);
    expect((await eventsOfCall(database, call.id)).filter(({ type }) => /hold|resume/.test(type))).toHaveLength(2);
  });

  it('a trunk with TLS, digest and required SRTP carries audio both ways, and the recording has both sides', async () => {
    const { callee, call } = secure;
    await call.written('turn');
    await call.hangUp();

    const wav = await call.recording();
    expect(toneMs(sideOf(wav, 'callee'), TONE_HZ, 8_000)).toBeGreaterThan(300);
    expect(loudness(sideOf(wav, 'agent'))).toBeGreaterThan(AUDIBLE);
    expect(loudness((await callee.heard()).pcm)).toBeGreaterThan(AUDIBLE);

    const { ladder, rtp } = await call.diagnostics((leg) => leg.rtp !== null && leg.ladder.length >= 9);
    expect(new Set(ladder.map((step) => step.transport))).toEqual(new Set(['tls']));
    expect(ladder.map((step) => step.summary)).toContain('407 Proxy Authentication Required');
    expect(rtp).toMatchObject({ srtp: true });
    const offer = ladder[0]!.message;
    expect(offer).toContain('RTP/SAVP');
    expect(offer).toMatch(/a=crypto:1 \S+ inline:A+=*\r\n/);
  });

  it('a phone behind NAT that describes an unreachable address hears the whole greeting, and is heard', async () => {
    const { callee, call } = natted;
    await call.written('turn');
    await call.hangUp();

    const wav = await call.recording();
    expect(toneMs(sideOf(wav, 'callee'), TONE_HZ, 8_000)).toBeGreaterThan(300);
    const [said, { pcm, rate }] = [sideOf(wav, 'agent'), await callee.heard()];
    expect(rate).toBe(8_000);
    expect(audibleMs(said)).toBeGreaterThan(300);
    expect(audibleMs(pcm)).toBeGreaterThan(0.8 * audibleMs(said));
    const { rtp } = await call.diagnostics((leg) => leg.rtp !== null);
    expect(rtp).toMatchObject({ refused_address: BEHIND_NAT });
  });

  describe('a transfer by REFER', () => {
    const refer = { method: 'refer', to_number: COLLEAGUE, from_number: null };

    it('that the remote party carries out ends the call as transferred', async () => {
      const { callee, call } = referred!;
      await call.until('ended');
      expect(sink.eventsOf(call.id)).toEqual(WHOLE_STORY.filter((event) => event !== 'ringing'));
      const record = { ...refer, status: 'completed', sip_code: 200 };
      expect(await call.read()).toMatchObject({
        status: 'completed',
        hangup_cause: 'transferred',
        transfers: [record],
      });
      expect(call.told).toMatchObject({
        transfers: [record],
        tool_calls: [{ name: 'call_transfer', ok: true, result: { transferred: true } }],
      });
      expect(call.told.costs.filter((line) => line.kind === 'carrier_seconds')).toHaveLength(1);
      expect(await callee.exited).toBe(0);
    });

    it.each([
      ['refuses', () => declined!, { status: 'busy', sip_code: 603 }],
      ['accepts, and whose colleague is busy,', () => busy!, { status: 'busy', sip_code: 486 }],
    ])('that the remote party %s gives the caller back to the agent', async (_, story, outcome) => {
      const { callee, call } = story();
      const tool = await call.written('tool_call');
      expect(tool.data).toMatchObject({
        name: 'call_transfer',
        ok: false,
        result: { error: { code: 'not_transferred' } },
      });
      const back = await eventOfCall(
        database,
        call.id,
        ({ type, data, at }) => type === 'turn' && data.role === 'agent' && at > tool.at,
      );
      expect(back.data.text).toContain('I am sorry');
      expect(await call.read()).toMatchObject({ status: 'in_progress', transfers: [{ ...refer, ...outcome }] });
      await call.hangUp();
      expect(call.told).toMatchObject({ hangup_cause: 'normal_clearing', transfers: [{ ...refer, ...outcome }] });
      expect(await callee.exited).toBe(0);
    });
  });

  describe('a carrier that rings with a tone of its own', () => {
    it('is heard from the 183 on, and paid from the 200 on', async () => {
      const { callee, call } = ringing!;
      await call.written('turn');
      await call.hangUp();
      expect(sink.eventsOf(call.id)).toEqual(WHOLE_STORY);
      const { ladder, rtp } = await call.diagnostics((leg) => leg.rtp !== null && leg.ladder.length >= 6);
      expect(rtp!.received).toBeGreaterThan(0);
      const at = (summary: string) => Date.parse(ladder.find((step) => step.summary === summary)!.at);
      const answered = await call.read();
      const [answeredAt, endedAt] = [Date.parse(String(answered.answered_at)), Date.parse(String(answered.ended_at))];
      expect(at('200 OK') - at('183 Session Progress')).toBeGreaterThan(1_000);
      // Both clocks are read within the same few milliseconds.
      expect(answeredAt).toBeGreaterThan(at('200 OK') - 20);
      expect(answered.duration_seconds).toBe(Math.round((endedAt - answeredAt) / 1_000));
      const seconds = (endedAt - answeredAt) / 1_000;
      const lines = Object.fromEntries(call.told.costs.map(({ kind, quantity }) => [kind, quantity]));
      expect(lines).toEqual({ carrier_seconds: seconds, agent_seconds: expect.any(Number) });
      expect(lines.agent_seconds).toBeLessThan(seconds + 1);
      // The recording begins with the answer; on a busy machine it had up to half a second of the tone.
      const wav = await call.recording();
      const rangMs = at('200 OK') - at('183 Session Progress');
      expect(toneMs(sideOf(wav, 'callee'), 425, 8_000)).toBeLessThan(rangMs / 2);
      expect(loudness(sideOf(wav, 'agent'))).toBeGreaterThan(AUDIBLE);
      expect(await callee.exited).toBe(0);
    });

    it('and is busy in the end costs nothing', async () => {
      const { callee, call } = ringingBusy!;
      await call.until('ended');
      expect(sink.eventsOf(call.id)).toEqual(['initiated', 'ringing', 'busy', 'ended']);
      const nothing = {
        answered_at: null,
        duration_seconds: null,
        cost: null,
        realtime_cost: null,
        recording_url: null,
      };
      expect(await call.read()).toMatchObject({ status: 'busy', sip_code: 486, hangup_cause: 'user_busy', ...nothing });
      expect(call.told).toMatchObject({ ...nothing, costs: [], transcript: [], recording: null });
      expect((await call.diagnostics((leg) => leg.rtp !== null)).rtp!.received).toBeGreaterThan(0);
      expect(await callee.exited).toBe(0);
    });
  });
});

/** Milliseconds in pieces of 20 ms that can be heard. */
function audibleMs(pcm: Int16Array): number {
  let ms = 0;
  for (let at = 0; at < pcm.length / 8; at += 20) if (loudness(pcm, at, at + 20) > AUDIBLE) ms += 20;
  return ms;
}

/** A call, as its caller and its operator see it. */
class PlacedCall {
  constructor(
    readonly id: string,
    private readonly api: ApiClient,
    private readonly sink: WebhookSink,
    private readonly database: Client,
  ) {}

  until = (event: string) => this.sink.until(() => this.sink.eventsOf(this.id).includes(event));
  read = () => this.api.call(this.id);
  hangUp = () => this.api.cancel(this.id).then(() => this.until('ended'));
  written = (type: string) => eventOfCall(this.database, this.id, (event) => event.type === type);

  /** Of the post-call webhook. */
  get told(): Webhook {
    return this.sink.of(this.id).at(-1)!.body.data as Webhook;
  }

  async recording(): Promise<Buffer> {
    return Buffer.from(await (await fetch(String((await this.read()).recording_url))).arrayBuffer());
  }

  /** They come about a second after what they tell of. */
  async diagnostics(holds: (leg: Leg) => boolean): Promise<Leg> {
    for (const late = AbortSignal.timeout(PATIENCE_MS); ;) {
      const leg = (await this.api.diagnostics(this.id)).legs[0];
      if (leg && holds(leg)) return leg;
      if (late.aborted) throw new Error(`The diagnostics stayed at ${JSON.stringify(leg)}`);
    }
  }
}
