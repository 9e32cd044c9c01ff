import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import { type EmbeddedEngine } from '@app/telephony';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Pool } from 'pg';
import { startTestEngine, testMedia } from '../interop/test-engine.js';
import { apiOf } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { eventually } from '../../support/eventually.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

/** Everything personal or secret of the story, each in a spelling of its own. Of numbers the last four digits may be told. */
const PRIVATE = {
  'a number that is called': '5557314297',
  'a number that calls': '5557316603',
  'a number that is transferred to': '5557315201',
  'a name in a SIP URI': 'quentin-callee',
  metadata: 'metadata-plover',
  'words of the agent': 'ostrich on the line',
  'a header of a webhook': 'header-kestrel',
  'the query of a webhook': 'query-heron',
  'a header of a tool': 'tool-header-egret',
  'the query of a tool': 'tool-query-ibis',
  'an argument of a tool': 'argument-curlew',
  'the answer of a tool': 'answer-dunlin',
  'the text of a knowledge base': 'knowledge-avocet',
  'the query of a page': 'page-query-godwit',
  'the content of a page': 'page-sanderling',
  'the name of a file': 'file-whimbrel',
  'the words of a search': 'search-bittern',
  'a token that is wrong': 'tk_wrongtokenofaspoonbill',
  'a field that is wrong': 'invalid-nightjar',
  'broken JSON': 'broken-turnstone',
  'the password of a trunk': 'password-phalarope',
} as const;

const SCRIPT = {
  rules: [
    { on: { digits: '1' }, call: { tool: 'find_order', arguments: { order: PRIVATE['an argument of a tool'] } } },
    { on: { tool: 'find_order' }, say: `It is an ${PRIVATE['words of the agent']}.` },
  ],
};

describe('the log of a whole story, at its most talkative', () => {
  let stack: Stack;
  let receiver: WebhookReceiver;
  let phone: SandboxPhone;
  let database: Pool;
  let engine: EmbeddedEngine;
  let office: TestAccount;
  let shop: TestAccount;
  let log: string;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    receiver.answer = ({ path }, response) => {
      if (path === '/fails') response.writeHead(500).end(PRIVATE['the answer of a tool']);
      else if (path === '/page') response.writeHead(404).end(PRIVATE['the content of a page']);
      else response.end(JSON.stringify({ found: PRIVATE['the answer of a tool'] }));
    };
    const quiet = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 27_400, max: 27_599 };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 50, log: quiet });
    stack = await Stack.start({ dialers: 0, keepsOutput: true, env: { LOG_LEVEL: 'trace' } });
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    await makeAccounts();
    const dialer = await stack.add('dialer');
    await Promise.all([callOut(), callWithTool(), callIn(Number(dialer.ready.sip_port)), knowledge(), mistakes()]);
    await database.end();
    await stack.stop();
    log = stack.output.join('');
  });

  afterAll(async () => {
    await engine?.close();
    if (database && !database.ended) await database.end();
    await stack?.stop();
    await phone?.close();
    await receiver?.close();
  });

  async function makeAccounts(): Promise<void> {
    const trunk = { port: phone.port, username: 'office', password: PRIVATE['the password of a trunk'] };
    const transfer = { enabled: true, phone_number: `+1${PRIVATE['a number that is transferred to']}` };
    office = await createAccount(stack, {
      name: 'office',
      trunk: { ...trunk, inbound: { addresses: ['127.0.0.2'] } },
      agent: { call_transfer: transfer, greeting: `Hello, ${PRIVATE['words of the agent']}.` },
    });
    shop = await createAccount(stack, { name: 'shop' });
    const options = JSON.stringify({ script: SCRIPT });
    await database.query('UPDATE agents SET provider_options = $2 WHERE id = $1', [shop.agentId, options]);
  }

  const hooksTo = (path: string) => ({
    call_status_webhook_url: `${receiver.url(path)}?token=${PRIVATE['the query of a webhook']}`,
    call_status_webhook_headers: [{ key: 'X-Api-Key', value: PRIVATE['a header of a webhook'] }],
    post_call_webhook_url: `${receiver.url('/works')}?token=${PRIVATE['the query of a webhook']}`,
  });

  const event = (callId: string, isWanted: Parameters<typeof eventOfCall>[2]) =>
    eventOfCall(database, callId, isWanted);
  const isEnd = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
    type === 'status' && data.hangup_cause != null;

  /** Answered, asks for a colleague, is put through; its webhooks fail and work. */
  async function callOut(): Promise<void> {
    const api = apiOf(stack, office);
    const call = await api.createCall({
      to_number: `+1${PRIVATE['a number that is called']}`,
      trunk_id: office.trunkId,
      metadata: { note: PRIVATE.metadata },
      ...hooksTo('/fails'),
    });
    const id = call.call_id;
    await event(id, ({ type }) => type === 'transfer');
    await api.cancel(id);
    await event(id, isEnd);
    await receiver.until((received) => received.some(({ path }) => path === '/works'));
  }

  /** The agent invokes a tool: once it works, and what nobody waits for fails. */
  async function callWithTool(): Promise<void> {
    const api = apiOf(stack, shop);
    const headers = { 'X-Secret': PRIVATE['a header of a tool'] };
    const url = (path: string) => `${receiver.url(path)}?q=${PRIVATE['the query of a tool']}`;
    await api.createTool({
      name: 'find_order',
      description: 'Finds an order.',
      parameters: { type: 'object', properties: { order: { type: 'string' } } },
      webhook_actions: [
        { name: 'find', url: url('/tool'), headers, payload: { order: '{{args.order}}' } },
        { name: 'note', url: url('/fails'), headers, wait_response: false },
        { name: 'refused', url: 'http://127.0.0.1:9/?q=' + PRIVATE['the query of a tool'], headers },
      ],
    });
    const call = await api.createCall({
      to_number: `sip:press_1@127.0.0.1:${phone.port}`,
      metadata: { note: PRIVATE.metadata },
    });
    const id = call.call_id;
    await event(id, ({ type, data }) => type === 'turn' && String(data.text).includes(PRIVATE['words of the agent']));
    await receiver.until((received) => received.some(({ path }) => path === '/fails'));
    await api.cancel(id);
    await event(id, isEnd);
    const nobody = `sip:${PRIVATE['a name in a SIP URI']}@127.0.0.1:${phone.port}`;
    const lost = await api.createCall({ to_number: nobody });
    await event(lost.call_id, isEnd);
  }

  /** A caller of the carrier, and one who is nobody's. */
  async function callIn(port: number): Promise<void> {
    const sip = { bind: '127.0.0.2', port: 0, userAgent: 'carrier', log: { debug: () => {}, warn: () => {} } };
    const media = testMedia({ bindAddress: '127.0.0.2', ports: { min: 12_400, max: 12_498 } });
    engine = await startTestEngine({ sip, media });
    const dial = (number: string) => {
      const leg = engine.dial({
        legId: number,
        destination: { kind: 'e164', number },
        from: { number: `+1${PRIVATE['a number that calls']}` },
        trunk: { targets: [{ host: '127.0.0.1', port, transport: 'udp', priority: 0 }] },
        ringTimeoutMs: 10_000,
      });
      const ended = new Promise((resolve) => leg.on('ended', resolve));
      return { leg, ended };
    };
    const answered = dial('+15550001111');
    await new Promise((resolve) => answered.leg.on('answered', () => resolve(undefined)));
    answered.leg.hangup('agent_hangup');
    await Promise.all([answered.ended, dial(`+1${PRIVATE['a number that is called']}`).ended]);
  }

  async function knowledge(): Promise<void> {
    const client = new KnowledgeClient(stack, shop);
    await client.text('x', `A ${PRIVATE['the text of a knowledge base']}.`);
    await client.url(`${receiver.url('/page')}?q=${PRIVATE['the query of a page']}`);
    // A file that is not a PDF although it says so.
    const file = `%PDF-1.7\n${PRIVATE['the text of a knowledge base']}`;
    await client.file(`${PRIVATE['the name of a file']}.pdf`, file);
    await client.search(PRIVATE['the words of a search']);
    const query = { search: PRIVATE['the words of a search'] };
    await dataOf(apiOf(stack, shop).GET('/api/v1/calls', { params: { query } }));
    await receiver.until((received) => received.some((one) => one.path === '/page'));
    const open = `SELECT count(*)::integer AS n FROM knowledge_bases WHERE status IN ('pending', 'processing')`;
    await eventually(
      async () => (await database.query<{ n: number }>(open)).rows[0]?.n,
      (n) => n === 0,
    );
  }

  async function mistakes(): Promise<void> {
    const wrong = PRIVATE['a field that is wrong'];
    await apiOf(stack, { ...shop, token: PRIVATE['a token that is wrong'] }).GET('/api/v1/calls');
    const headers = { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' };
    const send = (path: string, init?: RequestInit) => fetch(`${stack.baseUrl}/api/v1${path}`, { headers, ...init });
    const order = { to_number: wrong, agent_id: wrong, call_status_webhook_url: `http://${wrong}/` };
    await send('/calls', { method: 'POST', body: JSON.stringify(order) });
    await send('/calls', { method: 'POST', body: `{"a": "${PRIVATE['broken JSON']}` });
    await send(`/calls/${wrong}?x=${wrong}`);
    await send(`/${wrong}`);
  }

  it('contains lines of every step', () => {
    const messages = [
      'request',
      'call ended',
      'webhook attempt failed',
      'webhook delivered',
      'a call to an unknown number was refused',
      'document failed',
    ];
    for (const message of messages) expect(log).toContain(`"msg":"${message}"`);
  });

  it.each(Object.entries(PRIVATE))('does not contain %s', (_what, text) => {
    expect(log.split('\n').filter((line) => line.includes(text))).toEqual([]);
  });

  it('contains no token, no secret and no full phone number', () => {
    const { secretKey } = stack;
    for (const secret of [office.token, shop.token, office.webhookSecret, shop.webhookSecret, secretKey])
      expect(log).not.toContain(secret);
    const suspicious = /Bearer |whsec_|\btk_\w{20}|\+\d{7,}|sip:[^"@ ]+@|authorization:/i;
    expect(log.split('\n').filter((line) => suspicious.test(line))).toEqual([]);
  });
});
