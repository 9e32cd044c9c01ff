import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  encode,
  newLocalSrtp,
  openMediaSession,
  buildOffer,
  type CallLeg,
  type Codec,
  type EmbeddedEngine,
  type IncomingLeg,
  type NegotiatedAudio,
  type SrtpPolicy,
} from '@app/telephony';
import { startBaresip, type Baresip } from './baresip.js';
import { suiteWith } from '../../support/suite-with.js';
import { hearTone, sineWave, toneMs } from './heard-tone.js';
import { closeAgents, dial, startAgent } from './loopback-agents.js';
import { BEHIND_NAT, relayToNattedPhone } from './natted-phone.js';
import { dialTo, eventOf, mediaOf, startTestEngine } from './test-engine.js';

const suite = suiteWith(['baresip']);

const OURS_HZ = 500;
const THEIRS_HZ = 750;
const destination = { kind: 'e164' as const, number: '+15550002' };

suite('baresip', () => {
  let engine: EmbeddedEngine;
  const phones: Baresip[] = [];

  beforeEach(async () => {
    engine = await startTestEngine({ codecs: ['PCMU', 'PCMA', 'G722'] });
  });
  afterEach(async () => {
    await engine.close();
    await closeAgents();
    await Promise.all(phones.splice(0).map((phone) => phone.stop()));
  });

  async function startPhone(options: Omit<Parameters<typeof startBaresip>[0], 'toneHz'>): Promise<Baresip> {
    const phone = await startBaresip({ ...options, toneHz: THEIRS_HZ });
    phones.push(phone);
    return phone;
  }

  const trunkTo = (port: number, codec: Codec, srtp: SrtpPolicy) => ({
    targets: [{ host: '127.0.0.1', port, transport: 'udp' as const, priority: 0 }],
    codecs: [codec],
    srtp,
  });

  it.each([
    ['PCMU', 'off', undefined],
    ['PCMA', 'off', undefined],
    ['G722', 'off', undefined],
    ['PCMU', 'optional', undefined],
    ['PCMU', 'optional', 'srtp'],
    ['G722', 'optional', 'srtp'],
    ['PCMA', 'required', 'srtp'],
    ['G722', 'required', 'srtp-mand'],
  ] as const)(
    'and a call to it in %s with encryption %s here and %s there have audio in both directions',
    async (codec, srtp, encryption) => {
      const phone = await startPhone({ codec, ...(encryption && { encryption }) });
      const { leg } = dialTo(engine, phone.port, 'udp', { destination, trunk: trunkTo(phone.port, codec, srtp) });
      await eventOf(leg, 'answered');
      await talk(leg);
      expect(leg.stats()).toMatchObject({ codec, srtp: srtp !== 'off' && encryption !== undefined, lost: 0 });
      leg.hangup('agent_hangup');
      await hasHeard(phone);
    },
  );

  it('has audio in both directions when it answers behind NAT with a forbidden media address', async () => {
    const log = { debug: () => undefined, warn: () => undefined };
    const checkAddress = (address: string): void => {
      if (address === BEHIND_NAT) throw new Error('refused');
    };
    const caller = await startTestEngine({ sip: { bind: '127.0.0.1', port: 0, userAgent: 'test', log, checkAddress } });
    const phone = await startPhone({ codec: 'PCMU' });
    const relay = await relayToNattedPhone(phone.port);
    try {
      const { leg } = dialTo(caller, relay.port, 'udp', {
        destination,
        trunk: trunkTo(relay.port, 'PCMU', 'off'),
      });
      await eventOf(leg, 'answered');
      await talk(leg);
      expect(leg.stats()).toMatchObject({ refusedAddress: BEHIND_NAT, lost: 0 });
      leg.hangup('agent_hangup');
      await hasHeard(phone);
    } finally {
      await caller.close();
      relay.close();
    }
  });

  it.each([
    ['PCMU', undefined, 'optional', false],
    ['PCMA', 'srtp', 'optional', true],
    ['PCMU', 'srtp-mand', 'required', true],
    ['G722', 'srtp-mand', 'optional', true],
    ['G722', undefined, 'off', false],
  ] as const)(
    'has audio in both directions when it calls in %s with encryption %s and ours is %s',
    async (codec, encryption, srtp, secure) => {
      const answered = new Promise<IncomingLeg>((resolve) => {
        engine.onIncoming((invitation) => {
          const leg = invitation.accept({ legId: 'in', srtp });
          leg.on('answered', () => resolve(leg));
          leg.answer();
        });
      });
      const dials = `sip:trunkline@127.0.0.1:${engine.port}`;
      const phone = await startPhone({ codec, dials, ...(encryption && { encryption }) });
      const leg = await answered;
      await talk(leg);
      expect(leg.stats()).toMatchObject({ codec, srtp: secure, lost: 0 });
      leg.hangup('agent_hangup');
      await hasHeard(phone);
    },
  );

  it.each([
    ['required', undefined],
    ['off', 'srtp-mand'],
    // A peer that requires RTP/SAVP refuses RTP/AVP even with keys: such a trunk must be set to `required`.
    ['optional', 'srtp-mand'],
  ] as const)(
    'and a call with encryption %s here and %s there ends as incompatible_media',
    async (srtp, encryption) => {
      const phone = await startPhone({ codec: 'PCMU', ...(encryption && { encryption }) });
      const { ended } = dialTo(engine, phone.port, 'udp', { destination, trunk: trunkTo(phone.port, 'PCMU', srtp) });
      expect(await ended).toMatchObject({ status: 'failed', cause: 'incompatible_media' });
    },
  );

  it.each(newLocalSrtp('required')!.keys.map(({ suite: name }) => name))(
    'uses %s when only that is offered',
    async (name) => {
      const phone = await startPhone({ codec: 'PCMU', encryption: 'srtp-mand' });
      const all = newLocalSrtp('required')!;
      const srtp = { ...all, keys: all.keys.filter((key) => key.suite === name) };
      const session = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 11_000, max: 11_099 } });
      const agent = await startAgent();
      const terms = { codecs: ['PCMU' as const], srtp };
      const offer = (address: string) => buildOffer({ address, port: session.localPort, ...terms });
      const call = dial(agent, phone.port, { offer, ...terms });
      const [audio] = (await once(call, 'answered')) as [NegotiatedAudio];
      expect([audio.srtp?.local.suite, audio.srtp?.remote.suite]).toEqual([name, name]);
      session.start(audio);
      session.write(encode(session.codec, sineWave(OURS_HZ, 700)));
      await hearTone(session, THEIRS_HZ, 300);
      await session.drained(0);
      call.hangup();
      await session.close();
      await hasHeard(phone);
    },
  );

  it('sends RTCP reports on one port or on two', async () => {
    const calls = await Promise.all(
      [true, false].map(async (rtcpMux) => {
        const phone = await startPhone({ codec: 'PCMU', encryption: 'srtp', rtcpMux });
        const trunk = trunkTo(phone.port, 'PCMU', 'optional');
        const { leg } = dialTo(engine, phone.port, 'udp', { legId: `mux-${rtcpMux}`, destination, trunk });
        await eventOf(leg, 'answered');
        return leg;
      }),
    );
    // Its reports arrive every 5 s; the second one at the latest contains our stream.
    await Promise.all(
      calls.map(
        (leg) =>
          new Promise<void>((resolve) => mediaOf(leg).onFrame(() => leg.stats().rttMs !== undefined && resolve())),
      ),
    );
    for (const leg of calls) {
      expect(leg.stats()).toMatchObject({ srtp: true, remoteLost: 0 });
      expect(leg.stats().mos).toBeGreaterThan(1);
    }
  });
});

/** Sends our tone for 700 ms and receives the tone of the phone. */
async function talk(leg: CallLeg): Promise<void> {
  const media = mediaOf(leg);
  media.write(encode(media.codec, sineWave(OURS_HZ, 700)));
  await hearTone(media, THEIRS_HZ, 300);
  await media.drained(0);
}

async function hasHeard(phone: Baresip): Promise<void> {
  const { pcm, rate } = await phone.heard();
  // A wrong key or codec leaves none of it; a busy machine cuts pieces out.
  expect(toneMs(pcm, OURS_HZ, rate)).toBeGreaterThan(100);
}
