import { THE_SERVICE } from '@app/audit';
import { sign } from '@app/egress';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suiteWith } from '../../../../test/support/suite-with.js';
import { LANGUAGES, verdicts, type VerifyCase } from '../../../../test/support/verifying-programs.js';
import type { WebhookAccount } from '../../../../test/support/webhook-account.js';
import { WebhookEnvironment } from '../../../../test/support/webhook-environment.js';
import type { ReceivedWebhook, WebhookReceiver } from '../../../../test/support/webhook-receiver.js';

let environment: WebhookEnvironment;
let sink: WebhookReceiver;
let account: WebhookAccount;
let folder: string;
let cases: Record<string, VerifyCase & { expected: boolean | string }>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-verify-'));
  environment = await WebhookEnvironment.open();
  sink = await environment.sink();
  account = await environment.account();
  const older = await account.addSecret();
  const before = await next({ method: 'POST' });
  const { secret: newer } = await environment.services
    .get(WebhookSecretsService)
    .rotate({ accountId: account.id, actor: THE_SERVICE });
  const during = await next({ method: 'POST' });
  const query = await next({ method: 'GET' });
  cases = { ...accepted(before, during, query, older, newer), ...refused(during, older, newer) };
});
afterAll(async () => {
  await environment?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The next webhook as it arrives, sent by a new dispatcher without cached secrets. */
async function next({ method }: { method: string }): Promise<ReceivedWebhook> {
  const count = sink.received.length;
  const dispatcher = await environment.dispatcher();
  const callId = await account.createCall();
  const target = { url: sink.url('/Grüße'), method };
  if (method === 'GET') await account.writePostCall(callId, target, 1);
  else await account.writeStatuses(callId, target, 1);
  await sink.until((received) => received.length > count);
  await dispatcher.stop();
  return sink.received[count]!;
}

const headersOf = ({ headers }: ReceivedWebhook): Record<string, string> => headers as Record<string, string>;

function accepted(
  before: ReceivedWebhook,
  during: ReceivedWebhook,
  query: ReceivedWebhook,
  older: string,
  newer: string,
): typeof cases {
  const arrived = (webhook: ReceivedWebhook, secrets: string[], changed: Record<string, string> = {}) => ({
    body: webhook.body,
    headers: { ...headersOf(webhook), ...changed },
    secrets,
    expected: true,
  });
  const headers = headersOf(during);
  const body = '{"text":"Grüße ☎ 🎉"}';
  const [id, timestamp] = [headers['webhook-id']!, headers['webhook-timestamp']!];
  const capitals = Object.entries(headers).map(([name, value]) => [name.replace(/^./, (c) => c.toUpperCase()), value]);
  return {
    'as it was sent': arrived(before, [older]),
    'before the rotation, by who knows both': arrived(before, [newer, older]),
    'during a rotation, by the older secret': arrived(during, [older]),
    'during a rotation, by the newer secret': arrived(during, [newer]),
    'during a rotation, by both': arrived(during, [newer, older]),
    'without a body': arrived(query, [newer]),
    'with letters of all kinds': {
      ...arrived(during, [newer], { 'webhook-signature': sign([newer], id, Number(timestamp), body) }),
      body,
    },
    'with a signature of another kind before it': arrived(during, [newer], {
      'webhook-signature': `v1a,${'A'.repeat(86)} ${headers['webhook-signature']}`,
    }),
    'with names of headers in capitals': { ...arrived(during, [newer]), headers: Object.fromEntries(capitals) },
  };
}

function refused(webhook: ReceivedWebhook, older: string, newer: string): typeof cases {
  const headers = headersOf(webhook);
  const id = headers['webhook-id']!;
  const now = Math.floor(Date.now() / 1_000);
  const changed = (changes: Record<string, string>, body = webhook.body) => ({
    body,
    headers: { ...headers, ...changes },
    secrets: [newer, older],
    expected: false,
  });
  const without = (name: string) => ({
    ...changed({}),
    headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)),
  });
  const signedAt = (timestamp: number) => ({
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign([newer], id, timestamp, webhook.body),
  });
  const stranger = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  return {
    'a body with one more space': changed({}, `${webhook.body} `),
    'another body': changed({}, webhook.body.replace('initiated', 'completed')),
    'no body': changed({}, ''),
    'one of six minutes ago': changed(signedAt(now - 360)),
    'one of six minutes to come': changed(signedAt(now + 360)),
    'another time than was signed': changed({ 'webhook-timestamp': String(now - 60) }),
    'another id': changed({ 'webhook-id': `${id}0` }),
    'a time that is none': changed({ 'webhook-timestamp': 'now' }),
    'signatures of the wrong length': changed({ 'webhook-signature': 'v1,AAAA v1, v1' }),
    'a signature without its version': changed({
      'webhook-signature': headers['webhook-signature']!.replaceAll('v1,', ''),
    }),
    'the secret of another account': { ...changed({}), secrets: [stranger] },
    'no secret': { ...changed({}), secrets: [] },
    'an empty secret': { ...changed({}), secrets: [''], expected: 'This is not a webhook secret.' },
    'no id': without('webhook-id'),
    'no time': without('webhook-timestamp'),
    'no signature': without('webhook-signature'),
  };
}

describe('the code of docs/webhook-signatures.md', () => {
  it('is tested with webhooks as the service sends them', () => {
    const { headers } = cases['during a rotation, by both']!;
    expect(headers).toMatchObject({
      'webhook-attempt': '1',
      'webhook-sequence': '1',
      'content-type': 'application/json',
    });
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    expect(cases['without a body']).toMatchObject({ body: '' });
  });
});

for (const language of LANGUAGES) {
  suiteWith([language.command])(`the code in ${language.name}`, () => {
    it('accepts signed webhooks and rejects all others', async () => {
      const said = await verdicts(language, Object.values(cases), folder);
      const verdictsByCase = Object.fromEntries(Object.keys(cases).map((name, index) => [name, said[index]]));
      expect(verdictsByCase).toEqual(
        Object.fromEntries(Object.entries(cases).map(([name, { expected }]) => [name, expected])),
      );
    });
  });
}
