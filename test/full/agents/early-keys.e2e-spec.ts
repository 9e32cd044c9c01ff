import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import { buildAnswer, type IncomingCall, negotiate, openMediaSession, SipUserAgent } from '@app/telephony';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventOfCall } from '../../support/call-events.js';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { createAccount } from '../../support/workspace.js';

const GREETING = 'Welcome to the tea house. '.repeat(8).trim();

let stack: Stack;
let phone: SipUserAgent;
let database: Client;

beforeAll(async () => {
  const log = { debug: () => undefined, warn: () => undefined };
  phone = await SipUserAgent.start({ bind: '127.0.0.1', port: 0, userAgent: 'early-keys', log });
  stack = await Stack.start();
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await phone?.close();
});

/** A person who presses # at the first sound of the greeting. */
async function pressAtOnce(call: IncomingCall): Promise<void> {
  const session = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 27_200, max: 27_299 } });
  call.on('ended', () => void session.close());
  const local = { address: session.localAddress, port: session.localPort, codecs: ['PCMU' as const] };
  session.start(negotiate({ codecs: ['PCMU'] }, call.offer!)!);
  const isSilence = (byte: number): boolean => byte === 0xff || byte === 0x7f;
  const stop = session.onFrame((frame) => {
    if (frame.every(isSilence)) return;
    stop();
    void session.sendDtmf('#');
  });
  call.answer(buildAnswer(call.offer!, local)!);
}

it('the answer to a key that was too early to interrupt the greeting is as fast as the agent was after its words', async () => {
  phone.onInvite((call) => void pressAtOnce(call));
  const account = await createAccount(stack, { name: 'acme', agent: { greeting: GREETING } });
  const api = apiOf(stack, account);
  const { call_id: id } = await api.createCall({ to_number: `sip:guest@127.0.0.1:${phone.port}` });
  const isAnswer = ({ type, data }: { type: string; data: Record<string, unknown> }): boolean =>
    type === 'turn' && data.role === 'agent' && data.latency !== undefined;
  const { data: answer } = await eventOfCall(database, id, isAnswer, 60_000);
  await api.cancel(id);
  const call = await eventually(
    () => api.call(id),
    ({ ended_at: at }) => at !== null,
  );

  const path = { callId: id };
  const { turns } = await dataOf(api.GET('/api/v1/calls/{callId}/transcript', { params: { path } }));
  const [greeting] = turns;
  expect(greeting).toMatchObject({ role: 'agent', text: GREETING, truncated: false });
  expect(greeting!.ended_ms - greeting!.started_ms).toBeGreaterThan(5_000);
  // Within a frame: the end is noted when the last one has been played.
  expect(answer.started_ms).toBeGreaterThan(greeting!.ended_ms - 20);
  const { input_ended_ms: due, heard_ms: heard } = answer.latency as Record<string, number>;
  expect(Math.abs(due! - greeting!.ended_ms)).toBeLessThan(500);
  expect(heard).toBeLessThan(1_500);
  expect(call.latency).toMatchObject({ answers: 1, total: { max_ms: heard } });
});
