import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { InternalRequests } from '@app/common';
import { dataOf } from '@app/client';
import { FormantVoice } from '@app/sandbox/formant';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { pcmBytes } from '@app/telephony';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { eventually } from '../../support/eventually.js';
import { ScriptedServer } from '../../support/realtime-server.js';
import { Stack } from '../../support/stack.js';
import { WebPage } from '../../support/web-page.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const log = { debug: () => undefined, warn: () => undefined };
const COLLEAGUE = '+15550002200';
const LONG = 'This is a long answer that nobody wants to hear to its end. '.repeat(6);

let stack: Stack;
let database: Client;
let requests: InternalRequests;
let server: ScriptedServer;
let colleague: SandboxPhone;
let account: TestAccount;
let narrow: TestAccount;
let realtime: TestAccount;
const pages: WebPage[] = [];

beforeAll(async () => {
  server = await ScriptedServer.start();
  const patience = { greetingMs: 2_000, turnMs: 3_000, goodbyeMs: 500 };
  const rtpPorts = { min: 27_400, max: 27_599 };
  colleague = await startSandboxPhone({ bind: '127.0.0.1', port: 0, ringMs: 100, log, rtpPorts, patience });
  stack = await Stack.start({ env: { REALTIME_URL: server.url, REALTIME_API_KEY: 'k' } });
  requests = new InternalRequests({ SECRET_KEY: stack.secretKey, SECRET_KEY_FALLBACKS: [] });
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
  const script = {
    rules: [
      { on: 'opening', say: 'Hello, this is ACME in the browser.' },
      { on: { speech: 1 }, say: LONG },
      { on: { digits: '8' }, say: 'One moment.', transfer: true },
    ],
  };
  const call_transfer = { enabled: true, phone_number: COLLEAGUE };
  const trunk = { port: colleague.port };
  account = await createAccount(stack, { name: 'web', trunk, agent: { script, call_transfer } });
  narrow = await createAccount(stack, { name: 'narrow', concurrentCalls: 1, agent: { script } });
  realtime = await createAccount(stack, {
    name: 'realtime',
    agent: { provider: 'openai-realtime', model: 'm', greeting: '' },
  });
});

afterEach(() => {
  for (const page of pages.splice(0)) page.vanish();
});

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await Promise.all([colleague?.close(), server?.stop()]);
});

/** A web call that waits for its page. */
async function created(own = account): Promise<string> {
  const { call_id: id } = await dataOf(
    apiOf(stack, own).POST('/api/v1/web-calls', { body: { agent_id: own.agentId } }),
  );
  return id;
}

/** The last one that was started. */
const dialerOf = () => stack.processes.findLast(({ role }) => role === 'dialer')!;

async function opened(callId: string, query = 'format=l16', dialer = dialerOf()): Promise<WebPage> {
  const path = `/internal/web-calls/${callId}?${query}`;
  const page = await WebPage.open(`ws://${String(dialer.ready.internal_address)}${path}`, requests.sign('GET', path));
  pages.push(page);
  return page;
}

const ended = (callId: string, own = account) =>
  eventually(
    () => apiOf(stack, own).call(callId),
    ({ ended_at: endedAt }) => endedAt !== null,
  );

const turn = (callId: string, role: string) =>
  eventOfCall(database, callId, ({ type, data }) => type === 'turn' && data.role === role);

/** Speech of two seconds at 16 kHz. */
async function speech(): Promise<Int16Array> {
  const narrowband = await new FormantVoice().speak('Good morning, I have a question about my last order.');
  return Int16Array.from({ length: 2 * narrowband.length }, (_, i) => narrowband[i >> 1]!);
}

it('a page talks with the agent: both are heard and recorded, an interruption clears the page, and no carrier is paid', async () => {
  const callId = await created();
  const page = await opened(callId);
  expect(await page.message('ready')).toMatchObject({ call_id: callId, format: 'l16', frame_ms: 20 });
  await page.message('in_progress');
  await page.until(() => page.loudFrames > 20);
  await turn(callId, 'agent');
  page.speaks(await speech());
  await turn(callId, 'caller');
  const before = page.loudFrames;
  await page.until(() => page.loudFrames > before + 100);
  page.speaks(await speech());
  await page.message('clear');
  page.says({ type: 'hangup' });
  expect(await page.message('ended')).toMatchObject({ status: 'completed', cause: 'normal_clearing' });
  await page.until(() => page.closedWith !== undefined);
  expect(page.closedWith).toBe(1000);
  expect(page.types().slice(0, 3)).toEqual(['ready', 'ringing', 'in_progress']);
  const call = await ended(callId);
  expect(call).toMatchObject({ direction: 'inbound', channel: 'web', from_number: 'web', status: 'completed' });
  expect(call.recording_url).toMatch(/^http/);
  expect(JSON.stringify(call)).not.toContain('Carrier');
});

it('an interruption is cut where the page really was', async () => {
  const callId = await created(realtime);
  const page = await opened(callId);
  await server.whenConnected();
  const connection = server.last;
  await page.message('in_progress');
  const samples = Int16Array.from({ length: 24 * 5_000 }, (_, i) => 8_000 * Math.sin(i / 10));
  const item = { response_id: 'r1', item_id: 'i1' };
  connection.send(
    { type: 'response.created', response: { id: 'r1' } },
    { type: 'response.output_item.added', response_id: 'r1', item: { id: 'i1', type: 'message', role: 'assistant' } },
    { type: 'response.output_audio.delta', ...item, delta: pcmBytes(samples).toString('base64') },
  );
  await page.until(() => page.playedMs > 1_000);
  connection.send({ type: 'input_audio_buffer.speech_started', item_id: 'u1', audio_start_ms: 0 });
  await page.message('clear');
  const playedMs = page.playedMs;
  const cut = await eventually(
    () => Promise.resolve(connection.received.find(({ type }) => type === 'conversation.item.truncate')),
    (event) => event !== undefined,
  );
  const at = (cut as unknown as { audio_end_ms: number }).audio_end_ms;
  // The page has been silent before the first word; it reports every 100 ms, and the message to it takes a moment.
  const silentMs = page.frames.findIndex((frame) => frame.some((byte) => byte !== 0)) * 20;
  expect(Math.abs(at - (playedMs - silentMs))).toBeLessThanOrEqual(60);
  page.says({ type: 'hangup' });
  await ended(callId, realtime);
});

it('a page is transferred to a phone, from the number of its agent, and both hear each other', async () => {
  const callId = await created();
  const page = await opened(callId);
  await page.message('in_progress');
  await page.until(() => page.loudFrames > 20);
  page.says({ type: 'dtmf', digits: '8' });
  await eventOfCall(database, callId, ({ type, data: { status } }) => type === 'transfer' && status === 'in_progress');
  const before = page.loudFrames;
  await page.until(() => page.loudFrames > before + 50);
  page.says({ type: 'hangup' });
  const call = await ended(callId);
  expect(call).toMatchObject({
    status: 'completed',
    transfers: [{ status: 'completed', to_number: COLLEAGUE, from_number: '+15550001111' }],
  });
});

it('a page that lost its connection goes on within 10 s, and a newer connection replaces the one before', async () => {
  const callId = await created();
  const first = await opened(callId);
  await first.message('in_progress');
  await first.until(() => first.loudFrames > 10);
  first.vanish();
  await first.until(() => first.closedWith !== undefined);
  const second = await opened(callId, 'format=l16&resume=1');
  expect(await second.message('ready')).toMatchObject({ call_id: callId });
  await second.until(() => second.loudFrames > 10);
  const third = await opened(callId, 'format=l16&resume=1');
  await second.until(() => second.closedWith !== undefined);
  expect([second.closedWith, second.messages.at(-1)]).toMatchObject([4409, { type: 'error', code: 'taken_over' }]);
  third.speaks(await speech());
  await turn(callId, 'caller');
  third.says({ type: 'hangup' });
  expect(await ended(callId)).toMatchObject({ status: 'completed', hangup_cause: 'normal_clearing' });
});

it('a page in G.711 hears the agent', async () => {
  const callId = await created();
  const page = await opened(callId, 'format=pcmu');
  await page.until(() => page.frames.some((frame) => frame.length === 160 && frame.some((byte) => byte !== 0xff)));
  page.says({ type: 'hangup' });
  expect(await ended(callId)).toMatchObject({ status: 'completed' });
});

it('refuses requests without a signature, calls that do not exist or are connected, and more calls than the account may have', async () => {
  const address = String(dialerOf().ready.internal_address);
  const callId = await created(narrow);
  const path = `/internal/web-calls/${callId}?format=l16`;
  await expect(WebPage.open(`ws://${address}${path}`, {})).rejects.toThrow('HTTP 401');
  const unknown = await opened(randomUUID());
  expect(await unknown.message('error')).toMatchObject({ code: 'token_invalid' });
  await unknown.until(() => unknown.closedWith === 4401);
  await expect(opened(randomUUID(), 'format=l16&resume=1')).rejects.toThrow('HTTP 404');
  await expect(opened(callId, 'format=mp3')).rejects.toThrow('HTTP 400');

  const page = await opened(callId);
  await page.message('in_progress');
  await expect(opened(callId)).rejects.toThrow('HTTP 409');
  const second = await created(narrow);
  const refused = await opened(second);
  expect(await refused.message('error')).toMatchObject({ code: 'limit' });
  await refused.until(() => refused.closedWith === 4429);
  expect(await ended(second, narrow)).toMatchObject({ status: 'busy', hangup_cause: 'concurrency_limit' });
  page.says({ type: 'hangup' });
  await ended(callId, narrow);
});

it('a call ends when its dialer is killed', async () => {
  const dialer = await stack.add('dialer');
  const callId = await created();
  const page = await opened(callId, 'format=l16', dialer);
  await page.message('in_progress');
  await stack.kill(dialer);
  await page.until(() => page.closedWith !== undefined);
  expect(await ended(callId)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
});
