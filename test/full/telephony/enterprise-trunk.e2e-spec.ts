import { dataOf } from '@app/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { headerOf, RawSipPeer } from '../interop/raw-sip-peer.js';
import { apiOf } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount } from '../../support/workspace.js';

describe('a trunk with all settings of its workspace file', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let database: Client;
  let carrier: RawSipPeer;
  let elsewhere: RawSipPeer;

  beforeAll(async () => {
    [sink, carrier, elsewhere] = await Promise.all([WebhookSink.start(), RawSipPeer.start(), RawSipPeer.start()]);
    stack = await Stack.start();
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    carrier?.close();
    elsewhere?.close();
    await sink?.close();
  });

  it('the second target is called when the first refuses, with identity, codecs and headers', async () => {
    const account = await createAccount(stack, {
      name: 'enterprise',
      webhookUrl: `${sink.url}/enterprise`,
      trunk: {
        host: undefined,
        port: undefined,
        transport: undefined,
        targets: [
          { host: '127.0.0.1', port: carrier.port, transport: 'udp', priority: 20 },
          { host: '127.0.0.1', port: 9, transport: 'tcp', priority: 10 },
        ],
        from_domain: 'acme.example.net',
        assert_identity: true,
        user_phone: true,
        headers: { 'X-Order-Id': 'order_id', 'X-Note': 'note', 'X-Absent': 'absent', 'User-to-User': 'uui' },
        codecs: ['PCMA'],
        options_ping_seconds: 0,
      },
    });
    const api = apiOf(stack, account);
    const call = await api.createCall({
      to_number: '+12025550199',
      trunk_id: account.trunkId,
      metadata: { order_id: 4711, note: 'line one\r\nVia: SIP/2.0/UDP evil', uui: 'abc;encoding=hex' },
    });
    const invite = await carrier.next('INVITE');
    expect(invite).toMatch(/^INVITE sip:\+12025550199@[^ ]+;user=phone SIP\/2\.0/);
    expect(headerOf(invite, 'From')).toMatch(/<sip:\+15550001111@acme\.example\.net;user=phone>/);
    expect(headerOf(invite, 'P-Asserted-Identity')).toMatch(/<sip:\+15550001111@acme\.example\.net(;user=phone)?>/);
    expect(headerOf(invite, 'X-Order-Id')).toBe('4711');
    expect(headerOf(invite, 'User-to-User')).toBe('abc;encoding=hex');
    expect(invite).not.toMatch(/X-Note|X-Absent|evil/);
    expect(invite).toMatch(/m=audio \d+ RTP\/AVP 8 101\r\n/);
    carrier.reply(invite, '486 Busy Here', { tag: 'busy' });
    await sink.until(() => sink.eventsOf(call.call_id).includes('ended'));
    expect(await api.call(call.call_id)).toMatchObject({ status: 'busy', sip_code: 486 });
    const { rows } = await database.query(
      `SELECT data FROM call_events WHERE call_id = $1 AND type = 'header_dropped'`,
      [call.call_id],
    );
    const reason = 'the value holds line breaks or control characters';
    expect(rows).toEqual([{ data: { header: 'X-Note', metadata_key: 'note', reason } }]);
  });

  it('an anonymous call hides the number from the called party and shows it to a trusted carrier', async () => {
    const trunk = {
      port: carrier.port,
      from_domain: 'acme.example.net',
      assert_identity: true,
      options_ping_seconds: 0,
    };
    const account = await createAccount(stack, { name: 'anonymous', webhookUrl: `${sink.url}/anonymous`, trunk });
    const order = { to_number: '+12025550166', trunk_id: account.trunkId, anonymous: true };
    const call = await apiOf(stack, account).createCall(order);
    const invite = await carrier.next('INVITE');
    expect(headerOf(invite, 'From')).toMatch(/^"Anonymous" <sip:anonymous@anonymous\.invalid>;tag=/);
    expect(headerOf(invite, 'Privacy')).toBe('id');
    expect(headerOf(invite, 'P-Asserted-Identity')).toMatch(/^<sip:\+15550001111@acme\.example\.net/);
    // The number appears only in that header.
    expect(invite.split('+15550001111')).toHaveLength(2);
    carrier.reply(invite, '486 Busy Here', { tag: 'busy' });
    await sink.until(() => sink.eventsOf(call.call_id).includes('ended'));
  });

  it('a redirection to a premium-rate number or to a number of the do-not-call list is not followed, a redirection to an allowed number is', async () => {
    const trunk = { port: carrier.port, options_ping_seconds: 0 };
    const account = await createAccount(stack, { name: 'redirected', webhookUrl: `${sink.url}/redirected`, trunk });
    const api = apiOf(stack, account);
    await dataOf(api.POST('/api/v1/do-not-call', { body: { number: '+12025550166' } }));
    const call = await api.createCall({ to_number: '+12025550188', trunk_id: account.trunkId });
    const at = `127.0.0.1:${elsewhere.port}`;
    const refused = `<sip:9005551212@${at}>;q=1.0, <sip:0019005550100@${at}>;q=0.9, <sip:+12025550166@${at}>;q=0.5`;
    const contact = `Contact: ${refused}, <sip:+12025550177@${at}>;q=0.1`;
    carrier.reply(await carrier.next('INVITE'), '302 Moved Temporarily', { tag: 'moved', headers: [contact] });
    const invite = await elsewhere.next('INVITE');
    expect(invite).toMatch(/^INVITE sip:\+12025550177@/);
    elsewhere.reply(invite, '486 Busy Here', { tag: 'busy' });
    await sink.until(() => sink.eventsOf(call.call_id).includes('ended'));

    // Only to a listed number: the call ends.
    const ended = await api.createCall({ to_number: '+12025550189', trunk_id: account.trunkId });
    const headers = [`Contact: <sip:+12025550166@${at}>`];
    carrier.reply(await carrier.next('INVITE'), '302 Moved Temporarily', { tag: 'moved2', headers });
    await sink.until(() => sink.eventsOf(ended.call_id).includes('ended'));
    expect(await api.call(ended.call_id)).toMatchObject({
      status: 'failed',
      hangup_cause: 'redirected',
      sip_code: 302,
    });
  });
});
