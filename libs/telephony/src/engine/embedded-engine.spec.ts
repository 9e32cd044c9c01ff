import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerCall, closeAgents, FAST_TIMERS, startAgent } from '../../../../test/full/interop/loopback-agents.js';
import { headerOf, RawSipPeer } from '../../../../test/full/interop/raw-sip-peer.js';
import {
  dialTo,
  eventOf,
  mediaOf,
  startTestEngine,
  takeRtpPort,
  testMedia,
} from '../../../../test/full/interop/test-engine.js';
import { openMediaSession } from '../media/session/media-session.js';
import { buildAnswer, buildOffer, negotiate } from '../sdp.js';
import { DEFAULT_TIMERS } from '../sip/transactions/transaction.js';
import type { SipUserAgent } from '../sip/user-agent/user-agent.js';
import type { EmbeddedEngine, EmbeddedEngineOptions, SipEvent } from './embedded-engine.js';

const log = { debug: () => undefined, warn: () => undefined };
const sip = { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-test', log, timers: FAST_TIMERS };
const engines: EmbeddedEngine[] = [];
const peers: RawSipPeer[] = [];
let callee: SipUserAgent;

beforeEach(async () => {
  callee = await startAgent();
});
afterEach(async () => {
  for (const peer of peers) peer.leave();
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await closeAgents();
  for (const peer of peers.splice(0)) peer.close();
});

async function start(options: Partial<EmbeddedEngineOptions> = {}): Promise<EmbeddedEngine> {
  const engine = await startTestEngine({ sip, ...options });
  engines.push(engine);
  return engine;
}

/** Ends an answered call. */
async function endedLeg(engine: EmbeddedEngine): Promise<WeakRef<object>> {
  const { leg, ended } = dialTo(engine, callee.port, 'udp');
  await eventOf(leg, 'answered');
  leg.hangup('agent_hangup');
  await ended;
  return new WeakRef(leg);
}

describe('EmbeddedEngine', () => {
  it('keeps no leg and no audio for the time that the transactions of an ended call wait for late responses', async () => {
    callee.onInvite((call) => answerCall(call));
    const engine = await start({ sip: { ...sip, timers: DEFAULT_TIMERS } });
    const legs: WeakRef<object>[] = [];
    while (legs.length < 5) legs.push(await endedLeg(engine));
    await nextTurn();
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(engine.held.transactions).toBeGreaterThan(0);
    // The runtime may still refer to the last one.
    expect(legs.slice(0, -1).filter((leg) => leg.deref())).toEqual([]);
  });

  it('carries audio both ways and records it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-leg-'));
    const recordTo = join(folder, 'call.wav');
    const phone = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 43_000, max: 43_098 } });
    const heardByPhone = new Promise<number>((resolve) => {
      phone.onFrame((frame) => frame[0] === 0x55 && resolve(frame.length));
    });
    callee.onInvite((call) => {
      const local = { address: phone.localAddress, port: phone.localPort, codecs: ['PCMA' as const] };
      call.answer(buildAnswer(call.offer!, local)!);
      phone.start(negotiate({ codecs: ['PCMA'] }, call.offer!)!);
      phone.write(Buffer.alloc(160 * 50, 0x33));
    });
    const { leg, ended } = dialTo(await start(), callee.port, 'udp', { recordTo });
    await eventOf(leg, 'answered');
    expect(mediaOf(leg).codec).toBe('PCMA');
    const heardByUs = new Promise<number>((resolve) => {
      mediaOf(leg).onFrame((frame) => frame[0] === 0x33 && resolve(frame.length));
    });
    mediaOf(leg).write(Buffer.alloc(160 * 50, 0x55));
    expect(await Promise.all([heardByPhone, heardByUs])).toEqual([160, 160]);
    leg.hangup('agent_hangup');
    const end = await ended;
    expect(end).toMatchObject({ status: 'completed', cause: 'agent_hangup', recording: { path: recordTo } });
    expect(end.stats.received).toBeGreaterThan(0);
    expect(end.recording?.bytes).toBe((await stat(recordTo)).size);
    await phone.close();
    await rm(folder, { recursive: true });
  });

  it('cancels a ringing call when its signal aborts', async () => {
    callee.onInvite((call) => call.ring());
    const cancel = new AbortController();
    const engine = await start();
    const leg = engine.dial(request(callee.port), cancel.signal);
    leg.on('ringing', () => cancel.abort());
    await expect(new Promise((resolve) => leg.on('ended', resolve))).resolves.toMatchObject({ status: 'cancelled' });
    expect(engine.activeLegs).toBe(0);
  });

  it('sends no INVITE when the signal was aborted before', async () => {
    const events: SipEvent[] = [];
    const engine = await start({ onSipEvent: (_, event) => events.push(event) });
    const leg = engine.dial(request(callee.port), AbortSignal.abort());
    await expect(new Promise((resolve) => leg.on('ended', resolve))).resolves.toMatchObject({ status: 'cancelled' });
    expect(events).toEqual([]);
  });

  it.each([
    ['an invalid destination', { destination: { kind: 'sip' as const, uri: 'sip:a\r\nb@h' } }, 'invalid_number_format'],
    [
      'a number without a trunk',
      { destination: { kind: 'e164' as const, number: '+15550002' } },
      'invalid_number_format',
    ],
    ['a caller ID with a line break', { from: { number: '1>\r\nX: y' } }, 'invalid_number_format'],
  ])('reports %s as a failed leg and not as an exception', async (_, wrong, cause) => {
    const end = await dialTo(await start(), callee.port, 'udp', wrong).ended;
    expect(end).toMatchObject({ status: 'failed', cause, endedBy: 'system' });
  });

  it('ends as media_unavailable when every RTP port is taken', async () => {
    const { ports, release } = await takeRtpPort();
    const engine = await start({ media: testMedia({ ports }) });
    const end = await dialTo(engine, callee.port, 'udp').ended;
    await release();
    expect(end).toMatchObject({ status: 'failed', cause: 'media_unavailable' });
  });

  it('ends as blocked_destination, without sending, when the address check refuses', async () => {
    const events: SipEvent[] = [];
    const checkAddress = (): void => {
      throw new Error('inside');
    };
    const engine = await start({ sip: { ...sip, checkAddress }, onSipEvent: (_, event) => events.push(event) });
    const { events: legEvents, ended } = dialTo(engine, callee.port, 'udp');
    expect(await ended).toMatchObject({ status: 'failed', cause: 'blocked_destination' });
    expect([...legEvents, ...events]).toEqual([]);
  });

  it('reports the SIP messages of a leg in order, including the response to its BYE', async () => {
    callee.onInvite((call) => {
      call.ring();
      answerCall(call);
    });
    // On a busy machine a message may be repeated before its response.
    const seen = new Set<string>();
    const complete = new Promise<void>((resolve) => {
      void start({
        onSipEvent: (legId, { direction, summary, method }) => {
          seen.add(`${legId} ${direction} ${method} ${summary}`);
          if (method === 'BYE' && direction === 'in') resolve();
        },
      }).then((engine) => {
        const { leg } = dialTo(engine, callee.port, 'udp');
        return leg.on('answered', () => leg.hangup('agent_hangup'));
      });
    });
    await complete;
    const begin = ['out INVITE INVITE', 'in INVITE 180 Ringing', 'in INVITE 200 OK'];
    const ladder = [...begin, 'out ACK ACK', 'out BYE BYE', 'in BYE 200 OK'];
    expect([...seen]).toEqual(ladder.map((step) => `interop ${step}`));
  });

  it.each(['udp', 'tcp'] as const)(
    'reports each message as it is on the wire, with both addresses, over %s',
    async (transport) => {
      callee.onInvite(answerCall);
      const seen: SipEvent[] = [];
      const answeredBye = new Promise<SipEvent>((resolve) => {
        void start({
          onSipEvent: (_, event) => {
            seen.push(event);
            if (event.method === 'BYE' && event.direction === 'in') resolve(event);
          },
        }).then((engine) => {
          const { leg } = dialTo(engine, callee.port, transport);
          return leg.on('answered', () => leg.hangup('agent_hangup'));
        });
      });
      await answeredBye;
      expect(seen[0]?.wire).toMatch(/^INVITE sip:[^ ]+ SIP\/2\.0\r\nVia: [^]*\r\n\r\nv=0\r\n/);
      const ways = new Set(
        seen.map(({ local, remote }) => `${local.address}:${local.port} ${remote.address}:${remote.port}`),
      );
      expect([...ways]).toEqual([
        expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:[1-9]\\d+ 127\\.0\\.0\\.1:${callee.port}$`)),
      ]);
    },
  );

  it('drains: waits for calls, then hangs them up as drained, and dials no more', async () => {
    callee.onInvite(answerCall);
    const engine = await start();
    const { leg, ended } = dialTo(engine, callee.port, 'udp');
    await eventOf(leg, 'answered');
    const drained = engine.drain(new Date(Date.now() + 50));
    const late = dialTo(engine, callee.port, 'udp');
    expect(await late.ended).toMatchObject({ status: 'failed', cause: 'drained' });
    expect(late.events).toEqual([]);
    await drained;
    expect(await ended).toMatchObject({ status: 'completed', cause: 'drained', endedBy: 'system' });
  });

  it('reports a key sent by INFO once on the media port and once on the leg', async () => {
    const peer = await RawSipPeer.start();
    peers.push(peer);
    const { leg } = dialTo(await start(), peer.port, 'udp');
    const established = eventOf(leg, 'answered');
    const invite = await peer.next('INVITE');
    const contact = [`Contact: <sip:peer@127.0.0.1:${peer.port}>`];
    peer.reply(invite, '200 OK', { tag: 'peer', headers: contact, body: PEER_SDP });
    await established;
    const onPort: string[] = [];
    const onLeg: string[] = [];
    mediaOf(leg).onDtmf((digit, durationMs) => onPort.push(`${digit} ${durationMs}`));
    leg.on('dtmf', (digit, durationMs) => onLeg.push(`${digit} ${durationMs}`));
    peer.send(infoWithKey(invite, '5', peer.port));
    await peer.next('SIP/2.0 200');
    expect([onPort, onLeg]).toEqual([['5 120'], ['5 120']]);
  });

  it('hangs up when no audio arrives', async () => {
    callee.onInvite(answerCall);
    const media = testMedia({ mediaTimeoutMs: 100, silenceLimitMs: 100 });
    const { ended } = dialTo(await start({ media }), callee.port, 'udp');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'media_timeout' });
  });
});

const PEER_SDP = buildOffer({ address: '127.0.0.1', port: 43_300, codecs: ['PCMU'] });

function infoWithKey(invite: string, key: string, port: number): string {
  const body = `Signal=${key}\r\nDuration=120\r\n`;
  return [
    `INFO ${/<(.*)>/.exec(headerOf(invite, 'Contact'))?.[1]} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKinfo`,
    `From: ${headerOf(invite, 'To')};tag=peer`,
    `To: ${headerOf(invite, 'From')}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    'CSeq: 1 INFO',
    'Content-Type: application/dtmf-relay',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

function request(port: number): Parameters<EmbeddedEngine['dial']>[0] {
  const destination = { kind: 'sip' as const, uri: `sip:callee@127.0.0.1:${port}` };
  return { legId: 'one', destination, from: { number: '+15550001' }, ringTimeoutMs: 5_000 };
}
