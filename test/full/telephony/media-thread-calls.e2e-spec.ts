import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  buildAnswer,
  negotiate,
  openMediaSession,
  type CallLeg,
  type EmbeddedEngine,
  type IncomingCall,
  type LegEnd,
  type MediaSession,
} from '@app/telephony';
import { closeAgents, startAgent } from '../interop/loopback-agents.js';
import { headerOf, RawSipPeer } from '../interop/raw-sip-peer.js';
import { dialTo, eventOf, startTestEngine } from '../interop/test-engine.js';
import { openTestPool } from '../../support/media-pool.js';

let engine: EmbeddedEngine;
let folder: string;
const phones: MediaSession[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-thread-calls-'));
  engine = await startTestEngine({ media: await openTestPool(2, { min: 12_500, max: 12_599 }) });
});
afterEach(async () => {
  await engine.close();
  await closeAgents();
  await Promise.all(phones.splice(0).map((phone) => phone.close()));
  await rm(folder, { recursive: true });
});

/** A callee that talks without a pause; `byes` counts received BYEs. */
async function startCallee(): Promise<{ port: number; ended: Promise<unknown> }> {
  const agent = await startAgent();
  const ended = new Promise((resolve) => {
    agent.onInvite((call) => {
      call.on('ended', resolve);
      void talkTo(call);
    });
  });
  return { port: agent.port, ended };
}

async function talkTo(call: IncomingCall): Promise<void> {
  const phone = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 12_600, max: 12_699 } });
  phones.push(phone);
  const local = { address: phone.localAddress, port: phone.localPort, codecs: ['PCMU' as const] };
  const next = (played: boolean): void => {
    if (played) phone.write(Buffer.alloc(160, 0x33), next);
  };
  phone.write(Buffer.alloc(160, 0x33));
  next(true);
  phone.start(negotiate({ codecs: ['PCMU'] }, call.offer!)!);
  call.answer(buildAnswer(call.offer!, local)!);
}

async function answered(
  legId: string,
): Promise<{ leg: CallLeg; ended: Promise<LegEnd>; calleeEnded: Promise<unknown> }> {
  const callee = await startCallee();
  const { leg, ended } = dialTo(engine, callee.port, 'udp', { legId, recordTo: join(folder, `${legId}.wav`) });
  await eventOf(leg, 'answered');
  return { leg, ended, calleeEnded: callee.ended };
}

/** Resolves when `frames` of audio have arrived from now on. */
async function hears(leg: CallLeg, frames: number): Promise<void> {
  const task = leg.attach('listen', { tellAt: frames });
  await new Promise((resolve) => task.onMessage(resolve));
  task.post('stop');
}

describe('calls on media threads', () => {
  it('a thread that crashes loses only its own calls, which are hung up with their recordings so far, and is replaced', async () => {
    const [one, other] = [await answered('one'), await answered('other')];
    await Promise.all([hears(one.leg, 80), hears(other.leg, 1)]);
    const lost = one.leg.attach('crash', {});
    await expect(lost.done).rejects.toMatchObject({ name: 'AudioLost' });
    const end = await one.ended;
    expect(end).toMatchObject({ status: 'completed', cause: 'media_unavailable', endedBy: 'system' });
    expect(end.stats.received).toBeGreaterThan(0);
    expect(end.recordingError).toContain('ends early');
    expect(end.recording).toMatchObject({ bytes: (await stat(join(folder, 'one.wav'))).size });
    await one.calleeEnded;

    await hears(other.leg, 20);
    const next = await answered('next');
    await hears(next.leg, 5);
    for (const call of [other, next]) call.leg.hangup('agent_hangup');
    for (const { ended } of [other, next]) {
      const { cause, recordingError } = await ended;
      expect({ cause, recordingError }).toEqual({ cause: 'agent_hangup', recordingError: undefined });
    }
  });

  it('report the statistics of a running call, and the complete ones at its end', async () => {
    const { leg, ended } = await answered('one');
    // Frames that replace late packets are heard as well.
    await hears(leg, 100);
    expect(leg.stats().received).toBeGreaterThan(0);
    leg.hangup('agent_hangup');
    const { stats } = await ended;
    expect(stats.received).toBeGreaterThanOrEqual(75);
    expect(stats.codec).toBe('PCMU');
  });

  it('receive early media, with tasks attached before the answer', async () => {
    const peer = await RawSipPeer.start();
    const phone = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 12_600, max: 12_699 } });
    phones.push(phone);
    const { leg, ended } = dialTo(engine, peer.port, 'udp', { recordTo: join(folder, 'early.wav') });
    expect(() => leg.attach('listen', {})).toThrow('no media');
    const early = new Promise<void>((resolve) => leg.on('early', resolve));
    const invite = await peer.next('INVITE');
    const media = /m=audio (\d+)/.exec(invite)![1];
    const sdp = `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${phone.localPort} RTP/AVP 0\r\n`;
    const contact = [`Contact: <sip:peer@127.0.0.1:${peer.port}>`];
    peer.reply(invite, '183 Session Progress', { tag: 'peer', headers: contact, body: sdp });
    await early;
    const silence = new Promise<void>((resolve) => phone.onFrame(() => resolve()));
    phone.start({ address: '127.0.0.1', port: Number(media), codec: 'PCMU', payloadType: 0, sendAudio: true });
    phone.write(Buffer.alloc(160 * 500, 0x33));
    await Promise.all([hears(leg, 10), silence]);
    expect(headerOf(invite, 'Call-ID')).not.toBe('');
    leg.hangup('cancelled');
    peer.reply(await peer.next('CANCEL'), '200 OK', { tag: 'peer' });
    peer.reply(invite, '487 Request Terminated', { tag: 'peer' });
    const end = await ended;
    expect(end).toMatchObject({ status: 'cancelled' });
    expect(end.recording).toBeUndefined();
    peer.close();
  });

  it('report hold and resume', async () => {
    const agent = await startAgent();
    const incoming = new Promise<IncomingCall>((resolve) => agent.onInvite(resolve));
    const { leg, ended } = dialTo(engine, agent.port, 'udp');
    const call = await incoming;
    await talkTo(call);
    await new Promise<void>((resolve) => call.once('confirmed', resolve));
    const holds: boolean[] = [];
    const twice = new Promise<void>((resolve) => {
      leg.on('hold', (held) => holds.push(held) === 2 && resolve());
    });
    await call.hold(true);
    await call.hold(false);
    await twice;
    expect(holds).toEqual([true, false]);
    leg.hangup('agent_hangup');
    await ended;
  });
});
