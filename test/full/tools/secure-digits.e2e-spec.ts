import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { RunningTools } from '../../support/running-tools.js';
import type { WebhookAccount } from '../../support/webhook-account.js';
import type { ReceivedWebhook, WebhookReceiver } from '../../support/webhook-receiver.js';

let environment: RunningTools;
let sink: WebhookReceiver;
let account: WebhookAccount;
let secret: string;

beforeAll(async () => {
  environment = await RunningTools.open();
  sink = await environment.webhooks.sink();
  sink.answer = ({ body, method }, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ method, got: body === '' ? null : JSON.parse(body) }));
  account = await environment.webhooks.account();
  secret = await account.addSecret();
});
afterAll(() => environment.close());

const at = (path: string): ReceivedWebhook[] => sink.received.filter((one) => one.path === path);
const verify = ({ body, headers }: ReceivedWebhook) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

const run = (
  tool: Parameters<RunningTools['run']>[0],
  args: Record<string, unknown>,
  context: Partial<Parameters<RunningTools['run']>[2]>,
) => environment.run(tool, args, { accountId: account.id, ...context });

async function callContext() {
  const id = await account.createCall();
  const call = { id, direction: 'outbound' as const, to_number: '+15550002222', from_number: '+15550001111' };
  return { call, toolCallId: `call_${id}`, metadata: null };
}

describe('secret digits of the caller', () => {
  const card = '4242424242424242';
  const secure = new Map([['card', card]]);
  const parameters = { type: 'object', properties: { card: { type: 'string', pattern: '^[0-9]{16}$' } } };
  const args = { card: '{{secure.card}}' };

  /** Rows and logs, as a person with access to the database would read them. */
  async function stored(): Promise<string> {
    const { pool, logs } = environment.webhooks;
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = await Promise.all(tables.map(({ name }) => pool.query(`SELECT to_jsonb(t)::text FROM ${name} t`)));
    return JSON.stringify([rows.map((one) => one.rows), logs.lines]);
  }

  it('reach the endpoint, and neither the records nor the model, even if the endpoint repeats them', async () => {
    const context = { ...(await callContext()), secure };
    const tool = environment.tool(
      [{ url: sink.url('/pay/{{args.card}}?again={{secure.card}}'), payload: { card: '{{args.card}}' } }],
      parameters,
    );
    const ended = await run(tool, args, context);
    const [request] = at(`/pay/${card}`);
    expect([JSON.parse(request!.body), request!.query.get('again')]).toEqual([{ card }, card]);
    verify(request!);
    expect(ended.result).toEqual({ action_1: { method: 'POST', got: { card: '{{secure.card}}' } } });
    expect(await stored()).not.toContain(card);
  });

  it('of a queued request are sealed until it is delivered', async () => {
    const context = { ...(await callContext()), secure };
    const headers = { 'x-card': '{{secure.card}}' };
    const tool = environment.tool(
      [{ url: sink.url('/later-paid'), payload: { card: '{{secure.card}}' }, headers, waitResponse: false }],
      parameters,
    );
    const ended = await run(tool, args, context);
    expect(await stored()).not.toContain(card);
    const dispatcher = await environment.webhooks.dispatcher();
    await sink.until(() => at('/later-paid').length > 0);
    const [request] = at('/later-paid');
    expect([JSON.parse(request!.body), request!.headers['x-card']]).toEqual([{ card }, card]);
    verify(request!);
    const { id } = ended.actions[0]!;
    await environment.webhooks.logs.first({ delivery_id: id, state: 'delivered' });
    await dispatcher.stop();
    expect(await environment.webhooks.delivery(id)).toMatchObject({ request_sealed: null });
    expect(await stored()).not.toContain(card);
  });

  it('that were not entered stop the request, with the reason', async () => {
    const ended = await run(environment.tool([{ url: sink.url('/never') }]), args, {
      ...(await callContext()),
      secure: new Map(),
    });
    expect(ended.result).toMatchObject({ action_1: { error: { code: 'unusable_value' } } });
    expect(at('/never')).toEqual([]);
  });
});
