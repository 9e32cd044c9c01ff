import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendCommand } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { TraceCollector } from '../../support/trace-collector.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

/** Secrets of one call: what is said, and the parts of it that must be found nowhere. */
const SAID = {
  card: '4111 1111 1111 1111',
  cardBySpeech: 'five five five five, five five five five, five five five five, four four four four',
  iban: 'DE89 3704 0044 0532 0130 00',
  email: 'anna.miller@example.com',
  emailBySpeech: 'berta dot mason at example dot org',
  phone: '+49 151 23456789',
  id: '536-90-4399',
  birth: '12.03.1980',
  address: '192.168.77.21',
  password: 'sunflower77',
  pin: 'eight three six one',
  member: 'M-482193',
};
const KEYS = '5500005555555559';
const COMMAND_CARD = '3782 822463 10005';
const NEEDLES = [
  ...Object.values(SAID),
  '4111111111111111',
  '1111 1111',
  'five five five five',
  'DE89',
  '0532013000',
  'anna.miller',
  'berta dot mason',
  '23456789',
  '536904399',
  '1980-03-12',
  KEYS,
  COMMAND_CARD,
  '378282246310005',
];

const details = { card: '4111111111111111', iban: SAID.iban, pin: '8361', note: `${SAID.email}, ${SAID.member}` };
const SCRIPT = {
  legs: {
    hears: [
      `My card is ${SAID.card}`,
      `It is 5105 1051, mail ${SAID.email}, born on ${SAID.birth}, my password is ${SAID.password}`,
      `and ${SAID.iban} phone ${SAID.phone} social ${SAID.id} host ${SAID.address} and ${SAID.member}`,
      `${SAID.cardBySpeech}, or ${SAID.emailBySpeech}, and my PIN is ${SAID.pin}. Bye.`,
    ],
  },
  rules: [
    { on: { text: 'My card' }, call: { tool: 'save_details', arguments: details } },
    { on: { tool: 'save_details' }, say: `I have ${SAID.card}.` },
    { on: { text: 'born' }, say: `So ${SAID.email} and ${SAID.birth}.` },
    { on: { text: 'phone' }, say: 'Anything else?' },
    { on: { text: 'Bye' }, say: 'Goodbye.', hang_up: true },
    { on: { digits: KEYS }, say: `You pressed ${KEYS.split('').join(' ')}.`, hang_up: true },
  ],
};

describe('calls of an agent with redaction', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let database: Pool;
  let receiver: WebhookReceiver;
  let collector: TraceCollector;
  let own: TestAccount;
  const wavs = new Map<string, Buffer>();
  let talk: string;

  beforeAll(async () => {
    [receiver, collector] = await Promise.all([WebhookReceiver.start(), TraceCollector.start()]);
    receiver.answer = ({ path, body }, response) => {
      response.writeHead(path === '/busy' ? 500 : 200, { 'content-type': 'application/json' }).end(body);
    };
    const log = { debug: () => undefined, warn: () => undefined };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 26_400, max: 26_599 }, log });
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`, LOG_LEVEL: 'trace' };
    stack = await Stack.start({ keepsOutput: true, env });
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    own = await createAccount(stack, {
      name: 'private',
      webhookUrl: receiver.url('/calls'),
      trunk: { port: phone.port },
      agent: {
        provider: 'pipeline',
        script: SCRIPT,
        redaction: { custom: [{ name: 'member', pattern: 'M-[0-9]{6}' }] },
      },
    });
    await apiOf(stack, own).createTool({
      name: 'save_details',
      description: 'Saves.',
      parameters: { type: 'object', properties: { card: { type: 'string' } } },
      webhook_actions: [
        { name: 'save', url: receiver.url('/save') },
        { name: 'later', url: `${receiver.url('/later')}?card={{args.card}}`, wait_response: false },
        { name: 'busy', url: receiver.url('/busy'), wait_response: false },
      ],
    });
    talk = await ended(await dial('answer'));
    await ended(await dial(`press_${KEYS}`));
    await ended(await commanded());
  }, 240_000);

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await receiver?.close();
    await collector?.close();
  });

  async function dial(user: string): Promise<string> {
    const to = `sip:${user}@127.0.0.1:${phone.port}`;
    return (await apiOf(stack, own).createCall({ to_number: to, record: true })).call_id;
  }

  /** Waits for the end of a call and its webhook, and keeps its recording. */
  async function ended(id: string): Promise<string> {
    await receiver.until((all) =>
      all.some(({ path, body }) => path === '/calls' && body.includes(id) && body.includes('"event":"ended"')),
    );
    const path = join(stack.home, 'storage', 'recordings', String(own.accountId), `${id}.wav`);
    wavs.set(id, await readFile(path));
    return id;
  }

  async function commanded(): Promise<string> {
    const id = await dial('silent');
    await eventOfCall(database, id, ({ type, data }) => type === 'status' && data.status === 'in_progress');
    const api = apiOf(stack, own);
    await sendCommand(api, id, { type: 'say', text: `Your card is ${COMMAND_CARD}.`, when: 'now' });
    await eventOfCall(database, id, ({ type, data }) => type === 'turn' && String(data.text).includes('Your card'));
    await api.cancel(id);
    return id;
  }

  const turnsOf = async (id: string) => {
    const text = `SELECT data FROM call_events WHERE call_id = $1 AND type = 'turn' ORDER BY seq`;
    const { rows } = await database.query<{
      data: { role: string; text: string; started_ms: number; ended_ms: number };
    }>(text, [id]);
    return rows.map(({ data }) => data);
  };

  it('store turns with marks instead of the secrets, and the rest of what was said', async () => {
    const turns = (await turnsOf(talk)).map(({ role, text }) => `${role}: ${text}`);
    expect(turns).toContain('callee: My card is [card]');
    expect(turns).toContain('agent: I have [card].');
    expect(turns.find((text) => text.includes('[password]'))).toContain('mail [email], born on [date_of_birth]');
    expect(turns.find((text) => text.includes('[iban]'))).toContain('[member]');
  });

  it('pass the real values to tools, and store none of them', async () => {
    await receiver.until((all) => ['/save', '/later', '/busy'].every((path) => all.some((one) => one.path === path)));
    const [save] = receiver.received.filter(({ path }) => path === '/save');
    expect(JSON.parse(save!.body)).toMatchObject({ arguments: details });
    const [later] = receiver.received.filter(({ path }) => path === '/later');
    expect(later!.query.get('card')).toBe(details.card);
    const { rows } = await eventually(
      () =>
        database.query(
          `SELECT url, body, request_sealed FROM webhook_deliveries WHERE type = 'tool-action' AND state = 'delivered'`,
        ),
      ({ rowCount }) => rowCount === 1,
    );
    expect(rows).toEqual([
      { url: receiver.url('/later'), body: expect.stringContaining('[card]'), request_sealed: null },
    ]);
  });

  it('leave none of the secrets in the database, files, logs, traces and webhooks', async () => {
    const places: Record<string, string> = {
      log: stack.output.join(''),
      traces: JSON.stringify(collector.spans),
      webhooks: JSON.stringify(receiver.received.filter(({ path }) => path === '/calls')),
    };
    const tables = await database.query<{ name: string }>(
      `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of tables.rows) {
      // The script of the sandbox provider is the planted text itself.
      const isScript = /(?:^|\.)(?:agents|agent_versions|audit_events)$/.test(name);
      if (isScript) continue;
      const { rows } = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      places[name] = rows.map(({ row }) => row).join('\n');
    }
    for (const file of await readdir(stack.home, { recursive: true, withFileTypes: true }))
      if (file.isFile()) places[file.name] = await readFile(join(file.parentPath, file.name), 'latin1');
    const found = Object.entries(places).flatMap(([place, text]) =>
      // The number that is dialled is the client's own data.
      NEEDLES.filter((needle) => text.replaceAll(`press_${KEYS}`, '').includes(needle)).map(
        (needle) => `${needle} in ${place}`,
      ),
    );
    expect(found).toEqual([]);
    expect(Object.keys(places).length).toBeGreaterThan(20);
  });

  it('are silent in both channels where a secret was said, within 50 ms, and audible elsewhere', async () => {
    const wav = wavs.get(talk)!;
    const [user, agent] = [sideOf(wav, 'callee'), sideOf(wav, 'agent')];
    const turns = await turnsOf(talk);
    const turn = turns.find(({ text }) => text === 'My card is [card]')!;
    // The emulated transcriber spreads the words of an utterance evenly over it.
    const cardMs = turn.started_ms + ((turn.ended_ms - turn.started_ms) * 3) / 7;
    expect(loudness(user, turn.started_ms + 60, cardMs - 80)).toBeGreaterThan(100);
    expect(loudness(user, cardMs + 50, turn.ended_ms - 50)).toBe(0);
    expect(loudness(agent, cardMs + 50, turn.ended_ms - 50)).toBe(0);
    const answer = turns.find(({ text }) => text === 'I have [card].')!;
    expect(loudness(agent, answer.started_ms, answer.ended_ms)).toBe(0);
    const other = turns.find(({ role, text }) => role === 'agent' && !text.includes('['))!;
    expect(loudness(agent, other.started_ms, other.ended_ms)).toBeGreaterThan(100);
  });

  it('refuses kinds that it cannot find, and settings that cannot be used', async () => {
    const response = await fetch(`${stack.baseUrl}/api/v1/agents/${own.agentId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ redaction: { kinds: ['card', 'name'], custom: [{ name: 'a', pattern: '(?=x)' }] } }),
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: { 'redaction.kinds.1': expect.anything(), 'redaction.custom.0.pattern': expect.anything() },
    });
  });
});
