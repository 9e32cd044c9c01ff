import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildOffer } from '@app/telephony';
import { Client } from 'pg';
import { contactOf } from '../interop/raw-dialog.js';
import { RawSipPeer } from '../interop/raw-sip-peer.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventsOfCall } from '../../support/call-events.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount } from '../../support/workspace.js';

/** The shortest time that can be configured. */
const SILENCE_SECONDS = 30;

describe('a called party that answers and sends neither RTP nor RTCP', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let database: Client;
  const peers: RawSipPeer[] = [];
  const sockets: Socket[] = [];

  beforeAll(async () => {
    sink = await WebhookSink.start();
    stack = await Stack.start({ env: { MEDIA_SILENCE_SECONDS: String(SILENCE_SECONDS) } });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await sink?.close();
    for (const peer of peers) peer.close();
    for (const socket of sockets) socket.close();
  });

  /** An ended call to such a party. */
  async function ended(name: string, idle: { after_seconds: number; prompts: number }) {
    const peer = await RawSipPeer.start();
    peers.push(peer);
    const rtp = createSocket('udp4').bind(0, '127.0.0.1');
    sockets.push(rtp);
    await once(rtp, 'listening');
    const account = await createAccount(stack, {
      name,
      webhookUrl: `${sink.url}/hook`,
      trunk: { port: peer.port, options_ping_seconds: 0 },
      agent: { conversation: { idle } },
    });
    const api: ApiClient = apiOf(stack, account);
    const { call_id: id } = await api.createCall({ to_number: '+15550002', trunk_id: account.trunkId });
    const sdp = buildOffer({ address: '127.0.0.1', port: rtp.address().port, codecs: ['PCMU'] });
    const invite = await peer.next('INVITE');
    peer.reply(invite, '200 OK', { tag: 'peer', headers: [contactOf(peer)], body: sdp });
    peer.leave();
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    return { call: await api.call(id), events: await eventsOfCall(database, id) };
  }

  it('is hung up by the idle policy of the agent or as media_timeout, whichever comes first', async () => {
    const [impatient, patient] = await Promise.all([
      ended('impatient', { after_seconds: 2, prompts: 1 }),
      ended('patient', { after_seconds: 600, prompts: 0 }),
    ]);
    expect(impatient.call).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
    expect(impatient.events.filter(({ type }) => type === 'idle_prompt')).toHaveLength(1);
    expect(impatient.call.duration_seconds).toBeLessThan(SILENCE_SECONDS);
    expect(patient.call).toMatchObject({ status: 'completed', hangup_cause: 'media_timeout' });
    expect(patient.events.filter(({ type }) => type === 'idle_prompt')).toEqual([]);
    expect(patient.call.duration_seconds).toBeGreaterThanOrEqual(SILENCE_SECONDS);
  });
});
