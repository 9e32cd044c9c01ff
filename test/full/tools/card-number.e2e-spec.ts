import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Pool } from 'pg';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { type CallEvent, eventOfCall } from '../../support/call-events.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const CARD = '4242424242424242';
const QUESTION = 'May we record this call?';
const PROMPT = 'Please enter your card number.';
const PAYING = {
  rules: [
    { on: { speech: 1 }, call: { tool: 'collect_digits', arguments: { name: 'card' } } },
    { on: { tool: 'collect_digits' }, call: { tool: 'pay', arguments: { card: '{{result.value}}' } } },
    { on: { tool: 'pay', failed: false }, say: 'It is paid. Goodbye for now.' },
  ],
};

/** All rows of all tables. */
async function rowsOf(database: Pool): Promise<unknown[]> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  return Promise.all(tables.map(async ({ name }) => (await database.query(`SELECT * FROM ${name}`)).rows as unknown[]));
}

describe('an agent that takes a card number', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let shop: WebhookReceiver;
  let phone: SandboxPhone;
  let database: Pool;
  let account: TestAccount;
  let api: ApiClient;

  beforeAll(async () => {
    [sink, shop] = await Promise.all([WebhookSink.start(), WebhookReceiver.start()]);
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 27_200, max: 27_399 };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 100, log });
    stack = await Stack.start({ keepsOutput: true, env: { LOG_LEVEL: 'debug' } });
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    account = await createAccount(stack, { name: 'shop', webhookUrl: `${sink.url}/hook` });
    api = apiOf(stack, account);
    shop.answer = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await sink?.close();
    await shop?.close();
  });

  const raw = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${stack.baseUrl}/api/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
    });

  it('asks for it after the consent to the recording: only the endpoint of the tool has the digits', async () => {
    await api.createTool({
      name: 'pay',
      description: 'Pays the order.',
      parameters: { type: 'object', properties: { card: { type: 'string', pattern: '^[0-9]{16}$' } } },
      webhook_actions: [
        { name: 'charge', url: shop.url('/charge'), payload: { card: '{{args.card}}' } },
        { name: 'receipt', url: shop.url('/receipt'), payload: { of: '{{secure.card}}' }, wait_response: false },
      ],
    });
    const changed = await raw(`/agents/${account.agentId}`, {
      method: 'PATCH',
      body: JSON.stringify({
        script: PAYING,
        digit_inputs: [{ name: 'card', prompt: PROMPT, max_length: 16, validate: 'luhn' }],
        recording_consent: { mode: 'ask', message: QUESTION },
      }),
    });
    expect(changed.status).toBe(200);
    const call = await api.createCall({ to_number: `sip:press_1_${CARD}@127.0.0.1:${phone.port}` });
    const id = call.call_id;
    const isPaid = ({ type, data }: CallEvent): boolean => type === 'turn' && /It is paid/.test(String(data.text));
    await eventOfCall(database, id, isPaid, 60_000);
    await shop.until((received) => received.some(({ path }) => path === '/receipt'));
    await api.cancel(id);
    await sink.until(() => sink.eventsOf(id).includes('ended'));

    const bodyAt = (path: string): unknown => JSON.parse(shop.received.find((one) => one.path === path)!.body);
    expect([bodyAt('/charge'), bodyAt('/receipt')]).toEqual([{ card: CARD }, { of: CARD }]);
    const told = sink.of(id).at(-1)!.body.data;
    expect(told['recording_consent']).toMatchObject({ mode: 'ask', result: 'accepted' });
    expect(told['tool_calls']).toMatchObject([
      { name: 'collect_digits', result: { value: '{{secure.card}}' } },
      { name: 'pay', ok: true, arguments: { card: '{{secure.card}}' } },
    ]);
    // Everything that this installation has written, except for the requests to the shop.
    // The name of the extension has them.
    const written = (text: string): string => text.replaceAll(`press_1_${CARD}`, '');
    expect(written(JSON.stringify(await rowsOf(database)))).not.toContain(CARD);
    expect(written(JSON.stringify(sink.of(id)))).not.toContain(CARD);
    expect(written(stack.output.join(''))).not.toContain(CARD);
    const pcap = await raw(`/calls/${id}/diagnostics/sip.pcap`);
    expect(pcap.status).toBe(200);
    expect(written(Buffer.from(await pcap.arrayBuffer()).toString('latin1'))).not.toContain(CARD);

    const turns = (told['transcript'] as { text: string; started_ms: number; ended_ms: number }[]) ?? [];
    const at = (words: string) => turns.find(({ text }) => text.startsWith(words))!;
    const { url } = told['recording'] as { url: string };
    const wav = Buffer.from(await (await fetch(url)).arrayBuffer());
    const [mine, theirs] = [sideOf(wav, 'agent'), sideOf(wav, 'callee')];
    const paid = at('It is paid');
    expect(loudness(mine, 0, at(QUESTION.slice(0, 6)).ended_ms - 300)).toBe(0);
    expect(loudness(mine, at(PROMPT.slice(0, 6)).started_ms + 200, paid.started_ms - 3_000)).toBe(0);
    expect(loudness(theirs, at(PROMPT.slice(0, 6)).started_ms + 200, paid.started_ms - 3_000)).toBe(0);
  });
});
