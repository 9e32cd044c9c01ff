import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { buildOffer, type EmbeddedEngine } from '@app/telephony';
import { contactOf } from './raw-dialog.js';
import { RawSipPeer } from './raw-sip-peer.js';
import { dialTo, eventOf, startTestEngine, testMedia } from './test-engine.js';

/** Receiver report without blocks, and the CNAME `r` (RFC 3550 §6.4.2, §6.5). */
const REPORT = Buffer.from('80c900010000000981ca0003000000090101720000000000', 'hex');

const QUIET = { debug: () => undefined, warn: () => undefined };
const engines: EmbeddedEngine[] = [];
const peers: RawSipPeer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const peer of peers) peer.leave();
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  for (const peer of peers.splice(0)) peer.close();
  for (const socket of sockets.splice(0)) socket.close();
});

/** A call to a remote party that answers and sends no audio. `rtp` is its audio address. */
async function answered({ allow = '', mediaTimeoutMs = 100, silenceLimitMs = 60_000, t1 = 500 }) {
  const engine = await startTestEngine({
    sip: { bind: '127.0.0.1', port: 0, userAgent: 'test', log: QUIET, timers: { t1, t2: 4_000, t4: 5_000 } },
    media: testMedia({ mediaTimeoutMs, silenceLimitMs }),
  });
  engines.push(engine);
  const peer = await RawSipPeer.start();
  peers.push(peer);
  const rtp = createSocket('udp4').bind(0, '127.0.0.1');
  sockets.push(rtp);
  await once(rtp, 'listening');
  const { leg, ended } = dialTo(engine, peer.port, 'udp');
  const established = eventOf(leg, 'answered');
  const invite = await peer.next('INVITE');
  const headers = [contactOf(peer), ...(allow === '' ? [] : [`Allow: ${allow}`])];
  const body = buildOffer({ address: '127.0.0.1', port: rtp.address().port, codecs: ['PCMU'] });
  peer.reply(invite, '200 OK', { tag: 'peer', headers, body });
  await established;
  return { engine, peer, rtp, leg, ended };
}

describe('a remote party that sends no RTP', () => {
  it('stays connected while it sends RTCP, like a recording PBX', async () => {
    const { rtp, leg, ended } = await answered({ mediaTimeoutMs: 1_000, silenceLimitMs: 1_000 });
    let over = false;
    void ended.then(() => (over = true));
    // A report per five of our packets; 2 s, twice the limit.
    for (let packets = 1; packets <= 100; packets++) {
      const [, from] = (await once(rtp, 'message')) as [Buffer, { port: number }];
      if (packets % 5 === 0) rtp.send(REPORT, from.port, '127.0.0.1');
    }
    expect(over).toBe(false);
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'agent_hangup' });
  });

  it('gets OPTIONS without RTCP, and stays connected up to the limit', async () => {
    const { peer, ended } = await answered({ silenceLimitMs: 1_000 });
    for (let asked = 0; asked < 2; asked++) peer.reply(await peer.next('OPTIONS'), '200 OK');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'media_timeout', endedBy: 'system' });
  });

  it('gets UPDATE when it allows that, and stays connected when it refuses', async () => {
    const { peer, leg, ended } = await answered({ allow: 'INVITE, ACK, BYE, UPDATE' });
    peer.reply(await peer.next('UPDATE'), '500 Not Now');
    peer.reply(await peer.next('UPDATE'), '200 OK');
    leg.hangup('agent_hangup');
    expect(await ended).toMatchObject({ cause: 'agent_hangup' });
  });

  it.each(['481 Call/Transaction Does Not Exist', '408 Request Timeout'])(
    'ends at once as media_timeout when it responds with %s',
    async (status) => {
      const { peer, ended } = await answered({});
      peer.reply(await peer.next('OPTIONS'), status);
      expect(await ended).toMatchObject({ status: 'completed', cause: 'media_timeout', endedBy: 'system' });
      await peer.next('BYE');
    },
  );

  it('ends as media_timeout when it does not respond to the request', async () => {
    const { peer, ended } = await answered({ t1: 10 });
    await peer.next('OPTIONS');
    expect(await ended).toMatchObject({ status: 'completed', cause: 'media_timeout' });
  });
});
