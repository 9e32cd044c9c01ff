import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { closeAgents, dial, FAST_TIMERS, resultOf, startAgent } from '../../../../test/full/interop/loopback-agents.js';
import { headerOf, RawSipPeer } from '../../../../test/full/interop/raw-sip-peer.js';
import { dialTo, mediaOf, startTestEngine, takeRtpPort, testMedia } from '../../../../test/full/interop/test-engine.js';
import type { SipUserAgent } from '../sip/user-agent/user-agent.js';
import type { IncomingLeg, Invitation, LegEnd } from './carrier-engine.js';
import type { EmbeddedEngine, SipEvent } from './embedded-engine.js';
import type { HangupCause } from './hangup-cause.js';

const log = { debug: () => undefined, warn: () => undefined };
const sip = { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-test', log, timers: FAST_TIMERS };

let engine: EmbeddedEngine;
let caller: SipUserAgent;
let peer: RawSipPeer;
let ladder: string[];
let ended: Promise<LegEnd>;

beforeEach(async () => {
  ladder = [];
  const onSipEvent = (legId: string, { direction, summary }: SipEvent) => {
    ladder.push(`${legId} ${direction} ${summary}`);
  };
  [engine, caller, peer] = await Promise.all([startTestEngine({ sip, onSipEvent }), startAgent(), RawSipPeer.start()]);
});
afterEach(async () => {
  peer.leave();
  await Promise.all([engine.close(), closeAgents()]);
  peer.close();
});

/** Every inbound call becomes a leg, which `then` receives. */
function take(then: (leg: IncomingLeg, invitation: Invitation) => void, recordTo?: string): void {
  ended = new Promise((resolve) => {
    engine.onIncoming((invitation) => {
      const leg = invitation.accept({ legId: 'in', ...(recordTo !== undefined && { recordTo }) });
      leg.on('ended', resolve);
      then(leg, invitation);
    });
  });
}

const ringAndAnswer = (leg: IncomingLeg): void => {
  leg.ring();
  leg.answer();
};

function rawInvite(extra: string[] = [], body = ''): string {
  return [
    'INVITE sip:registered@127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bKraw`,
    'From: "Bob" <sip:+15550009@carrier.example>;tag=peer',
    'To: <sip:+15550003@127.0.0.1>',
    'Call-ID: raw',
    'CSeq: 1 INVITE',
    `Contact: <sip:peer@127.0.0.1:${peer.port}>`,
    ...extra,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

function rawAck(ok: string, body = ''): string {
  return rawInvite([], body)
    .replace(/^INVITE/, 'ACK')
    .replace('CSeq: 1 INVITE', 'CSeq: 1 ACK')
    .replace('z9hG4bKraw', 'z9hG4bKack')
    .replace(/To: .*/, `To: ${headerOf(ok, 'To')}`);
}

const sdp = (codec: string): string =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP ${codec}\r\n`;

describe('an inbound call', () => {
  it('rings, is answered with audio both ways, recorded, and ends when the caller hangs up', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-in-'));
    const events: string[] = [];
    take(
      (leg) => {
        for (const event of ['ringing', 'answered'] as const) leg.on(event, () => events.push(event));
        leg.on('answered', () => {
          mediaOf(leg).onFrame((frame) => frame[0] === 0x33 && mediaOf(leg).write(Buffer.alloc(1_600, 0x55)));
        });
        ringAndAnswer(leg);
      },
      join(folder, 'in.wav'),
    );
    const phone = await startTestEngine({ sip, media: testMedia({ ports: { min: 43_100, max: 43_198 } }) });
    const { leg, ended: over } = dialTo(phone, engine.port, 'udp');
    const heard = new Promise<void>((resolve) => {
      leg.on('answered', () => {
        mediaOf(leg).onFrame((frame) => frame[0] === 0x55 && resolve());
        mediaOf(leg).write(Buffer.alloc(1_600, 0x33));
      });
    });
    await heard;
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'normal_clearing', endedBy: 'caller' });
    expect((await ended).recording?.bytes).toBeGreaterThan(44);
    expect(events).toEqual(['ringing', 'answered']);
    await over;
    await phone.close();
    // A busy machine repeats its 200.
    expect([...new Set(ladder)].slice(0, 4)).toEqual([
      'in in INVITE',
      'in out 180 Ringing',
      'in out 200 OK',
      'in in ACK',
    ]);
    await rm(folder, { recursive: true });
  });

  it('belongs to the trunk that its request names, and to no other at the same address', async () => {
    const shared = { ...sip, admit: () => ({ kind: 'admitted', callers: ['7', '9'] }) as const };
    const other = await startTestEngine({ sip: shared });
    const callers = new Promise((resolve) => {
      other.onIncoming((invitation) => {
        const before = invitation.callers;
        invitation.accept({ legId: 'in', callerName: '9' });
        resolve([before, invitation.callers]);
      });
    });
    peer.send(rawInvite([], sdp('0')), other.port);
    const named = await callers;
    await other.close();
    expect(named).toEqual([['7', '9'], ['9']]);
  });

  it('reports the called and the calling party', async () => {
    const facts: Partial<Invitation>[] = [];
    engine.onIncoming((invitation) => {
      const { dialled, caller: who } = invitation;
      facts.push({ dialled, ...(who && { caller: who }) });
      invitation.refuse(404);
    });
    const one = rawInvite([
      'P-Called-Party-ID: <tel:+15550004;npdi>',
      'P-Asserted-Identity: <sip:+15550008@carrier.example>',
    ]);
    peer.send(one, engine.port);
    await peer.next('SIP/2.0 404');
    peer.send(rawInvite(['Privacy: id', 'P-Asserted-Identity: <tel:+15550008>']).replaceAll('raw', 'two'), engine.port);
    await peer.next('SIP/2.0 404');
    expect(facts).toEqual([
      { dialled: ['registered', '+15550004', '+15550003'], caller: { user: '+15550008', host: 'carrier.example' } },
      { dialled: ['registered', '+15550003'] },
    ]);
  });

  const NPDI = 'sip:+15550001111;npdi=yes;rn=+15559990000@127.0.0.1';

  it.each([
    [NPDI, '+15550001111'],
    ['tel:+15550001111;npdi;rn=+15559990000', '+15550001111'],
    ['tel:+1-555-000-1111', '+15550001111'],
    ['sip:%2B15550001111@my_pbx;user=phone', '+15550001111'],
    ['sip:+1(555)000.1111:secret@127.0.0.1', '+15550001111'],
  ])('to %s is to the number in its Request-URI, also when To names another one', async (uri, number) => {
    let dialled: readonly string[] = [];
    take((leg, invitation) => {
      ({ dialled } = invitation);
      ringAndAnswer(leg);
    });
    peer.send(rawInvite([], sdp('0')).replace('sip:registered@127.0.0.1', uri), engine.port);
    const ok = await peer.next('SIP/2.0 200');
    expect(dialled).toEqual([number, '+15550003']);
    const contact = /<(.*)>/.exec(headerOf(ok, 'Contact'))![1]!;
    expect(contact).toMatch(/^sip:\S+@127\.0\.0\.1:\d+$/);
    expect(contact).not.toContain(';');
    // The dialog is found by that Contact.
    peer.send(rawAck(ok).replace('sip:registered@127.0.0.1', contact), engine.port);
    const bye = rawAck(ok)
      .replace('sip:registered@127.0.0.1', contact)
      .replaceAll('ACK', 'BYE')
      .replace('1 BYE', '2 BYE');
    peer.send(bye.replace('z9hG4bKack', 'z9hG4bKbye'), engine.port);
    expect(await ended).toMatchObject({ status: 'completed', endedBy: 'caller' });
  });

  it.each<[string, string[], object | undefined]>([
    [
      'a name and a number',
      ['<sip:alice@carrier.example>', '<tel:+1-555-000-0008>'],
      { user: '+15550000008', host: '' },
    ],
    [
      'no user and a number, in one line',
      ['<sip:carrier.example>, "A, B" <sip:+15550000008@h_h>'],
      { user: '+15550000008', host: 'h_h' },
    ],
    ['an extension and a number', ['<sip:1001@h>', '<sip:+15550000008@h>'], { user: '+15550000008', host: 'h' }],
    ['a name and an extension', ['<sip:alice@h>', '<sip:1001@h>'], { user: '1001', host: 'h' }],
    ['names', ['<sip:alice@h>', '<sip:bob@h>'], { user: 'alice', host: 'h' }],
    ['nothing that can be read', ['<>', 'x y'], { user: '+15550009', host: 'carrier.example' }],
  ])('with %s as asserted identities has the best of them as its caller', async (_, identities, caller) => {
    const callers: unknown[] = [];
    engine.onIncoming((invitation) => {
      callers.push(invitation.caller);
      invitation.refuse(404);
    });
    peer.send(rawInvite(identities.map((one) => `P-Asserted-Identity: ${one}`)), engine.port);
    await peer.next('SIP/2.0 404');
    expect(callers).toEqual([caller]);
  });

  it('from hosts with underscores is answered at its source and hung up there, with its number as the caller', async () => {
    let seen: Invitation['caller'];
    take((leg, invitation) => {
      seen = invitation.caller;
      ringAndAnswer(leg);
      leg.on('answered', () => leg.hangup('agent_hangup'));
    });
    const invite = rawInvite([`Record-Route: <sip:edge_proxy.my_site:${peer.port};lr>`], sdp('0'))
      .replace('<sip:+15550009@carrier.example>', '<sip:+15550009@my_pbx>')
      .replace(/^Via: .*$/m, `Via: SIP/2.0/UDP my_pbx:${peer.port};branch=z9hG4bKraw`)
      .replace(/^Contact: .*$/m, `Contact: <sip:peer@my_pbx:${peer.port}>`);
    peer.send(invite, engine.port);
    const ok = await peer.next('SIP/2.0 200');
    expect(headerOf(ok, 'Via')).toBe(`SIP/2.0/UDP my_pbx:${peer.port};branch=z9hG4bKraw;received=127.0.0.1`);
    expect(seen).toEqual({ user: '+15550009', host: 'my_pbx' });
    peer.send(rawAck(ok), engine.port);
    const bye = await peer.next(`BYE sip:peer@my_pbx:${peer.port} SIP/2.0`);
    expect(headerOf(bye, 'Route')).toBe(`<sip:edge_proxy.my_site:${peer.port};lr>`);
    expect(headerOf(bye, 'To')).toBe('"Bob" <sip:+15550009@my_pbx>;tag=peer');
    peer.leave();
    peer.reply(bye, '200 OK');
    await ended;
  });

  it('can be refused with Retry-After', async () => {
    engine.onIncoming((invitation) => invitation.refuse(503, 30));
    peer.send(rawInvite(), engine.port);
    expect(headerOf(await peer.next('SIP/2.0 503'), 'Retry-After')).toBe('30');
  });

  it('ends as unanswered when the caller gives up while it rings', async () => {
    take((leg) => leg.ring());
    const call = dial(caller, engine.port);
    call.on('ringing', () => call.hangup());
    expect(await resultOf(call)).toMatchObject({ kind: 'cancelled' });
    const outcome = { status: 'no_answer', cause: 'originator_cancel', endedBy: 'caller', sipCode: 487 };
    expect(await ended).toMatchObject(outcome);
  });

  it('ends as unanswered when the caller gave up before the call was accepted', async () => {
    const accepted = new Promise<LegEnd>((resolve) => {
      engine.onIncoming((invitation) => {
        const cancel = rawInvite().replace('INVITE', 'CANCEL').replace('1 INVITE', '1 CANCEL');
        peer.send(cancel, engine.port);
        void peer.next('SIP/2.0 487').then(() => invitation.accept({ legId: 'late' }).on('ended', resolve));
      });
    });
    peer.send(rawInvite(), engine.port);
    expect(await accepted).toMatchObject({ status: 'no_answer', cause: 'originator_cancel' });
    expect(engine.activeLegs).toBe(0);
  });

  it.each<[HangupCause, number, object]>([
    ['cancelled', 603, { status: 'cancelled', endedBy: 'callee' }],
    ['agent_provider_error', 480, { status: 'failed', endedBy: 'system' }],
    ['drained', 503, { status: 'failed', endedBy: 'system' }],
  ])('hung up as %s before the answer is refused with %i', async (cause, status, outcome) => {
    take((leg) => {
      leg.ring();
      leg.hangup(cause);
      leg.answer();
    });
    expect(await resultOf(dial(caller, engine.port))).toMatchObject({ kind: 'rejected', status });
    expect(await ended).toMatchObject({ ...outcome, cause, sipCode: status });
  });

  it.each<[HangupCause, object]>([
    ['agent_hangup', { cause: 'agent_hangup', endedBy: 'agent' }],
    ['cancelled', { cause: 'normal_clearing', endedBy: 'callee' }],
  ])('hung up as %s after the answer sends BYE', async (cause, outcome) => {
    take((leg) => {
      leg.on('answered', () => leg.hangup(cause));
      leg.answer();
    });
    expect(await resultOf(dial(caller, engine.port))).toMatchObject({ kind: 'bye', by: 'remote' });
    expect(await ended).toMatchObject({ status: 'completed', ...outcome });
  });

  it('without a common codec is refused', async () => {
    take(ringAndAnswer);
    peer.send(rawInvite([], sdp('18')), engine.port);
    const refused = await peer.next('SIP/2.0 488');
    expect(headerOf(refused, 'Warning')).toBe('305 127.0.0.1 "No audio format in common, only PCMU, PCMA"');
    expect(await ended).toMatchObject({ status: 'failed', cause: 'incompatible_media', sipCode: 488 });
  });

  it('is refused without SRTP where SRTP is required, and answered with a key where it is optional', async () => {
    engine.onIncoming((invitation) => {
      invitation
        .accept({ legId: 'srtp', srtp: invitation.dialled.includes('must') ? 'required' : 'optional' })
        .answer();
    });
    peer.send(rawInvite([], sdp('8')).replace('registered', 'must'), engine.port);
    const refused = await peer.next('SIP/2.0 488');
    expect(headerOf(refused, 'Warning')).toBe('302 127.0.0.1 "SRTP is required"');
    const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, 7).toString('base64')}\r\n`;
    const secure = `${sdp('8').replace('RTP/AVP', 'RTP/SAVP')}${crypto}`;
    peer.send(rawInvite([], secure).replaceAll('raw', 'two'), engine.port);
    expect(await peer.next('SIP/2.0 200')).toContain('a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:');
  });

  it('is rejected with 503 when every RTP port is taken', async () => {
    const { ports, release } = await takeRtpPort();
    const full = await startTestEngine({ sip, media: testMedia({ ports }) });
    full.onIncoming((invitation) => invitation.accept({ legId: 'full' }).answer());
    expect(await resultOf(dial(caller, full.port))).toMatchObject({ kind: 'rejected', status: 503 });
    await full.close();
    await release();
  });

  describe('an INVITE without an offer', () => {
    it('is answered when the ACK describes the audio', async () => {
      const answered = new Promise<string>((resolve) => {
        take((leg) => {
          leg.on('answered', () => resolve(mediaOf(leg).codec));
          leg.answer();
        });
      });
      peer.send(rawInvite(), engine.port);
      peer.send(rawAck(await peer.next('SIP/2.0 200'), sdp('8')));
      expect(await answered).toBe('PCMA');
    });

    it.each([
      ['does not describe the audio', '', 'incompatible_media'],
      ['contains none of our codecs', sdp('18'), 'incompatible_media'],
    ])('fails when the ACK %s', async (_, body, cause) => {
      take((leg) => leg.answer());
      peer.send(rawInvite(), engine.port);
      peer.send(rawAck(await peer.next('SIP/2.0 200'), body));
      peer.reply(await peer.next('BYE '), '200 OK');
      expect(await ended).toMatchObject({ status: 'failed', cause });
    });
  });

  it('fails when the caller never acknowledges the answer', async () => {
    take((leg) => leg.answer());
    peer.send(rawInvite([], sdp('0')), engine.port);
    peer.reply(await peer.next('BYE '), '200 OK');
    expect(await ended).toMatchObject({ status: 'failed', cause: 'network_error', endedBy: 'system' });
  });

  it('is refused while the engine drains', async () => {
    engine.onIncoming(() => undefined);
    await engine.drain(new Date());
    peer.send(rawInvite(), engine.port);
    expect(headerOf(await peer.next('SIP/2.0 503'), 'Retry-After')).toBe('30');
  });
});
