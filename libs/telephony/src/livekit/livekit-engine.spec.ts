import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SIPMediaEncryption, SIPTransport } from '@livekit/protocol';
import { EmulatedLiveKit, type EmulatedPhone } from '../../../../test/support/emulated-livekit.js';
import type { CallLeg, DialRequest, LegEnd, Trunk } from '../engine/carrier-engine.js';
import type { MediaPort } from '../media/session/media-port.js';
import { LiveKitEngine, type LiveKitEngineOptions } from './livekit-engine.js';

const log = { debug: () => undefined, warn: () => undefined };
const ports: MediaPort[] = [];
const tasks = {
  'hand-over': (media: MediaPort) => {
    ports.push(media);
    return Promise.resolve();
  },
};
const carrier: Trunk = { targets: [{ host: 'sip.carrier.example', port: 5080, transport: 'tcp', priority: 0 }] };
const engines: LiveKitEngine[] = [];
let livekit: EmulatedLiveKit;

beforeEach(async () => {
  livekit = await EmulatedLiveKit.start();
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await livekit.close();
});

async function start(options: Partial<LiveKitEngineOptions> = {}): Promise<LiveKitEngine> {
  const { access, join: joinRoom } = livekit;
  const engine = await LiveKitEngine.start({
    access,
    join: joinRoom,
    tasks,
    codecs: ['PCMU', 'PCMA'],
    log,
    retryMs: [1, 1],
    ...options,
  });
  engines.push(engine);
  return engine;
}

function dial(engine: LiveKitEngine, more: Partial<DialRequest> = {}): { leg: CallLeg; ended: Promise<LegEnd> } {
  const leg = engine.dial({
    legId: 'one',
    destination: { kind: 'e164', number: '+15550002' },
    from: { number: '+15550001', displayName: 'ACME' },
    trunk: carrier,
    ringTimeoutMs: 5_000,
    ...more,
  });
  return { leg, ended: new Promise((resolve) => leg.on('ended', resolve)) };
}

async function answered(engine: LiveKitEngine, more: Partial<DialRequest> = {}) {
  const phone = new Promise<EmulatedPhone>((resolve) =>
    livekit.onCall((call) => {
      call.answer();
      resolve(call);
    }),
  );
  const dialled = dial(engine, more);
  await new Promise<void>((resolve) => dialled.leg.on('answered', () => resolve()));
  dialled.leg.attach('hand-over', undefined);
  return { ...dialled, phone: await phone, media: ports.at(-1)! };
}

describe('LiveKitEngine, against an emulated API', () => {
  it('passes all settings of the call on, with limits in case the dialer dies', async () => {
    const trunk = { ...carrier, username: 'u', password: 'p', fromDomain: 'from.example', srtp: 'required' as const };
    const { phone, leg, ended } = await answered(await start({ maxCallSeconds: 900 }), {
      trunk,
      codecs: ['PCMA'],
      headers: { 'X-Order': '7' },
    });
    expect(phone.request).toMatchObject({
      sipTrunkId: '',
      sipCallTo: '+15550002',
      sipNumber: '+15550001',
      displayName: 'ACME',
      headers: { 'X-Order': '7' },
      hidePhoneNumber: true,
      waitUntilAnswered: true,
      ringingTimeout: { seconds: 7n },
      maxCallDuration: { seconds: 900n },
      trunk: {
        hostname: 'sip.carrier.example:5080',
        transport: SIPTransport.SIP_TRANSPORT_TCP,
        authUsername: 'u',
        authPassword: 'p',
        fromHost: 'from.example',
      },
      media: {
        onlyListedCodecs: true,
        codecs: [{ name: 'PCMA', rate: 8_000 }],
        encryption: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE,
      },
    });
    expect(phone.room.request).toMatchObject({ emptyTimeout: 60, departureTimeout: 10 });
    leg.hangup('agent_hangup');
    await ended;
  });

  it('places no call for a leg that was hung up while its room was opened', async () => {
    const seen: string[] = [];
    livekit.onCall(() => seen.push('a phone rings'));
    const joinRoom: typeof livekit.join = async (...args) => {
      const room = await livekit.join(...args);
      leg.hangup('cancelled');
      return room;
    };
    const { leg, ended } = dial(await start({ join: joinRoom }));
    leg.on('trying', () => seen.push('trying'));
    expect(await ended).toMatchObject({ status: 'cancelled', cause: 'cancelled' });
    await engines.at(-1)!.close();
    expect([seen, livekit.rooms.size]).toEqual([[], 0]);
  });

  it('gives every call a separate room, and deletes them all', async () => {
    const engine = await start();
    const legs = [await answered(engine), await answered(engine)];
    expect(livekit.rooms.size).toBe(2);
    for (const { leg } of legs) leg.hangup('agent_hangup');
    await Promise.all(legs.map(({ ended }) => ended));
    livekit.onCall((call) => call.reject(486, 'Busy Here'));
    await dial(engine).ended;
    await engine.close();
    expect([livekit.rooms.size, new Set(livekit.deleted).size]).toEqual([0, 3]);
  });

  it('retries the deletion of a room; the call is over only after it', async () => {
    const { leg, ended } = await answered(await start());
    livekit.failing.set('DeleteRoom', 2);
    leg.hangup('agent_hangup');
    await ended;
    expect([livekit.rooms.size, livekit.failing.get('DeleteRoom')]).toEqual([0, 0]);
  });

  it('carries audio both ways and records it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-livekit-'));
    const recordTo = join(folder, 'call.wav');
    const { leg, ended, phone, media } = await answered(await start(), { recordTo });
    const heard = new Promise<number>((resolve) => media.onFrame((frame) => resolve(frame.length)));
    phone.say(new Int16Array(160).fill(1_000));
    await new Promise((resolve) => media.write(Buffer.alloc(160, 0x20), resolve));
    expect(await heard).toBe(160);
    expect(phone.heard.some((samples) => samples[0] !== 0)).toBe(true);
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ recording: { path: recordTo } });
    await rm(folder, { recursive: true });
  });

  it('sends keys to the phone', async () => {
    const { leg, ended, phone } = await answered(await start());
    await leg.sendDtmf('1#');
    expect(phone.keys).toEqual(['1', '#']);
    leg.hangup('agent_hangup');
    await ended;
  });

  it('bridges the audio of two legs', async () => {
    const engine = await start();
    const [a, b] = [await answered(engine), await answered(engine)];
    const bridge = a.leg.bridge(b.leg);
    a.phone.say(new Int16Array(160).fill(1_000));
    expect(b.media.queuedMs).toBe(20);
    bridge.release();
    a.phone.say(new Int16Array(160).fill(1_000));
    expect(b.media.queuedMs).toBeLessThanOrEqual(20);
    for (const { leg } of [a, b]) leg.hangup('agent_hangup');
    await Promise.all([a.ended, b.ended]);
  });

  it('transfers: the call ends as transferred when LiveKit hangs up after it', async () => {
    const { leg, ended, phone } = await answered(await start());
    const progress = new Promise((resolve) => leg.on('transfer', resolve));
    expect(await leg.refer('sip:+15550003@sip.carrier.example')).toEqual({ accepted: true });
    expect(await progress).toEqual({ status: 200, final: true });
    expect(await ended).toMatchObject({ status: 'completed', cause: 'transferred' });
    expect(livekit.transfers).toMatchObject([
      { roomName: phone.request.roomName, transferTo: 'sip:+15550003@sip.carrier.example' },
    ]);
  });

  it('stays in the call when the transfer is refused', async () => {
    const { leg, ended } = await answered(await start());
    livekit.transferStatus = 486;
    expect(await leg.refer('sip:other@sip.carrier.example')).toEqual({ accepted: false, status: 486 });
    await expect(leg.refer('sip:a\r\nb@h')).rejects.toThrow('Refer-To');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ cause: 'agent_hangup' });
  });

  it('fails over after a 503, and after no other failure', async () => {
    const second = { host: '192.0.2.7', priority: 1 };
    const trunk = { targets: [...carrier.targets, second] };
    const engine = await start();
    livekit.onCall((call) => (livekit.phones.length === 1 ? call.reject(503, 'Full') : call.reject(500, 'Broken')));
    expect(await dial(engine, { trunk }).ended).toMatchObject({ sipCode: 500 });
    livekit.onCall((call) => call.reject(500, 'Broken'));
    await dial(engine, { trunk }).ended;
    const hosts = livekit.phones.map(({ request }) => request.trunk?.hostname);
    expect(hosts).toEqual(['sip.carrier.example:5080', '192.0.2.7', 'sip.carrier.example:5080']);
  });

  it('places no second call when the API response is lost', async () => {
    livekit.onCall((call) => call.fail({ code: 'internal', message: 'lost' }));
    expect(await dial(await start()).ended).toMatchObject({ status: 'failed', cause: 'service_unavailable' });
    expect(livekit.phones).toHaveLength(1);
  });

  it('uses a trunk that LiveKit manages, and checks that it exists', async () => {
    const engine = await start();
    const trunk = { ...carrier, livekitTrunkId: 'ST_one' };
    expect(await engine.health(trunk)).toMatchObject({
      targets: [{ reachable: false, reason: 'LiveKit has no outbound trunk of this id.' }],
    });
    livekit.trunks.push('ST_one', 'ST_two');
    expect(await engine.health(trunk)).toMatchObject({ targets: [{ reachable: true }] });
    const { phone, leg, ended } = await answered(engine, { trunk });
    expect([phone.request.sipTrunkId, phone.request.trunk]).toEqual(['ST_one', undefined]);
    leg.hangup('agent_hangup');
    await ended;
  });

  it('refuses internal addresses, by name and by IP', async () => {
    const engine = await start({
      checkAddress: (address) => {
        if (address.startsWith('10.')) throw new Error('inside');
      },
      lookUp: (host) =>
        host === 'nowhere.example'
          ? Promise.reject(new Error('ENOTFOUND'))
          : Promise.resolve(['192.0.2.1', '10.0.0.1']),
    });
    const cause = async (uri: string): Promise<string> =>
      (await dial(engine, { trunk: undefined, destination: { kind: 'sip', uri } }).ended).cause;
    expect(await cause('sip:a@10.1.2.3')).toBe('blocked_destination');
    expect(await cause('sip:a@two-faced.example')).toBe('blocked_destination');
    expect(await cause('sip:a@nowhere.example')).toBe('network_error');
    expect(livekit.phones).toEqual([]);
  });

  it('refuses options that LiveKit would silently ignore', async () => {
    const trunk = { ...carrier, tls: { cert: 'c', key: 'k' } };
    expect(await dial(await start(), { trunk }).ended).toMatchObject({ cause: 'service_unavailable' });
    expect(livekit.phones).toEqual([]);
  });

  it('reports that the API key is refused', async () => {
    const engine = await start({ access: { ...livekit.access, apiSecret: 'another one, as long as the right one' } });
    expect(await dial(engine).ended).toMatchObject({
      status: 'failed',
      cause: 'service_unavailable',
      endedBy: 'system',
    });
    expect(await engine.health(carrier)).toMatchObject({
      targets: [{ reachable: false, reason: 'LiveKit refuses the API key.' }],
    });
  });

  it('reports that LiveKit cannot be reached', async () => {
    const engine = await start();
    await livekit.close();
    expect(await dial(engine).ended).toMatchObject({ status: 'failed', cause: 'network_error', endedBy: 'system' });
    expect(await engine.health(carrier)).toMatchObject({
      targets: [{ reachable: false, reason: 'LiveKit cannot be reached.' }],
    });
    livekit = await EmulatedLiveKit.start();
  });

  it('deletes a room that it cannot join', async () => {
    const engine = await start({ join: () => Promise.reject(new Error('no way in')) });
    expect(await dial(engine).ended).toMatchObject({ status: 'failed', cause: 'media_unavailable' });
    await engine.close();
    expect([livekit.rooms.size, livekit.phones]).toEqual([0, []]);
  });

  it('ends a call whose room is lost', async () => {
    const { ended, phone } = await answered(await start());
    phone.room.listener!.onLost();
    expect(await ended).toMatchObject({ status: 'completed', cause: 'media_unavailable' });
    expect(livekit.rooms.size).toBe(0);
  });

  it('names the missing package when rooms cannot be joined', async () => {
    const { access } = livekit;
    await expect(LiveKitEngine.start({ access, tasks, codecs: ['PCMU'], log })).rejects.toThrow(
      'npm install @livekit/rtc-node@1.1.0',
    );
  });
});
