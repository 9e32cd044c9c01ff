import type { Schemas } from '@app/client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { type CallEvent, eventsOfCall } from '../../support/call-events.js';
import { RecordingPhone } from '../../support/commanded-calls.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';
import { type SipPeer, startSipp } from './sip-peers.js';

type Transfer = Schemas['TransferDto'];
type Cause = Transfer['hangup_cause'];

/** What the colleague's phone does, and the result of the transfer. */
interface Case {
  scenario: string;
  verdict?: string;
  transport?: 'tcp';
  settings?: Record<string, unknown>;
  ring_timeout_seconds?: number;
  /** SIPp answers a call of its own to which `moved` redirects. */
  movedTo?: string;
  transfer: Partial<Transfer>;
  /** Of the tool's error; absent: the transfer succeeds. */
  code?: string;
}

const PATIENCE_MS = 90_000;
const AT_ONCE = 6;
const brief = { settings: { accept_timeout_seconds: 5 } };
const accepted: Partial<Transfer> = { status: 'completed', accepted_by: 'key', declined_reason: null };
const reject = (status: Transfer['status'], hangup_cause: Cause, sip_code: number): Partial<Transfer> => ({
  ...{ status, hangup_cause, sip_code, answered_at: null, joined_at: null },
});
const declined = (declined_reason: Transfer['declined_reason']): Partial<Transfer> => ({
  ...{ status: 'declined', declined_reason, joined_at: null },
});

const CASES: Record<string, Case> = {
  'key 1 by SIP INFO': { scenario: 'presses-key', verdict: '1', transfer: accepted },
  'key 1 over TCP': { scenario: 'presses-key', verdict: '1', transport: 'tcp', transfer: accepted },
  'a redirection (302) to a phone that accepts': {
    ...{ scenario: 'moved', movedTo: 'presses-key', verdict: '1', transfer: accepted },
  },
  'key 2 by SIP INFO': { scenario: 'presses-key', verdict: '2', transfer: declined('key'), code: 'declined' },
  'an answer without a reaction': {
    scenario: 'answer',
    ...brief,
    transfer: declined('no_reaction'),
    code: 'no_reaction',
  },
  'an answer after early media without a reaction': {
    ...{ scenario: 'early-media', ...brief, transfer: declined('no_reaction'), code: 'no_reaction' },
  },
  'a BYE in the briefing': { scenario: 'answer-then-bye', transfer: declined('hung_up'), code: 'declined' },
  'a reliable provisional response (PRACK) and no reaction': {
    ...{ scenario: 'prack', ...brief, transfer: declined('no_reaction'), code: 'no_reaction' },
  },
  'ringing without an answer': {
    ...{ scenario: 'no-answer', ring_timeout_seconds: 2, code: 'no_answer' },
    transfer: { status: 'no_answer', hangup_cause: 'no_answer', answered_at: null },
  },
  '486 after early media': {
    ...{ scenario: 'rings-then-busy', verdict: '486 Busy Here', code: 'busy' },
    transfer: reject('busy', 'user_busy', 486),
  },
  '486 Busy Here': { scenario: 'reject', transfer: reject('busy', 'user_busy', 486), code: 'busy' },
  '600 Busy Everywhere': { scenario: 'reject', transfer: reject('busy', 'user_busy', 600), code: 'busy' },
  '603 Decline': { scenario: 'reject', transfer: reject('busy', 'call_rejected', 603), code: 'busy' },
  '480 Temporarily Unavailable': {
    ...{ scenario: 'reject', transfer: reject('no_answer', 'no_answer', 480), code: 'no_answer' },
  },
  '404 Not Found': { scenario: 'reject', transfer: reject('failed', 'unallocated_number', 404), code: 'failed' },
  '403 Forbidden': { scenario: 'reject', transfer: reject('failed', 'rejected_by_carrier', 403), code: 'failed' },
  '488 Not Acceptable Here': {
    ...{ scenario: 'reject', transfer: reject('failed', 'incompatible_media', 488), code: 'failed' },
  },
  '500 Server Internal Error': {
    ...{ scenario: 'reject', transfer: reject('failed', 'service_unavailable', 500), code: 'failed' },
  },
};

suiteWith(['sipp'])('a warm transfer to SIPp', () => {
  let stack: Stack;
  let caller: RecordingPhone;
  let database: Client;
  const peers: SipPeer[] = [];
  const outcomes = new Map<string, { tool: CallEvent; transfers: Transfer[]; isCallerConnected: boolean }>();

  beforeAll(async () => {
    caller = await RecordingPhone.start(27_800, { greetingMs: 10_000, turnMs: 60_000 });
    stack = await Stack.start();
    const agent = { call_transfer: { enabled: true, phone_number: '+15550002200', mode: 'warm' } };
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
    const waiting = Object.entries(CASES);
    const run = async (name: string): Promise<void> => {
      const account = await createAccount(stack, { name, agent, trunk: { options_ping_seconds: 0 } });
      for (let next = waiting.shift(); next; next = waiting.shift()) await transferTo(account, ...next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => run(`account ${i}`)));
  }, 300_000);

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await Promise.all([caller?.close(), ...peers.map((peer) => peer.stop())]);
  });

  async function colleague(name: string, { scenario, verdict = name, transport, movedTo }: Case): Promise<SipPeer> {
    const target = movedTo === undefined ? undefined : await sipp(movedTo, verdict, transport);
    return sipp(scenario, target ? `sip:callee@127.0.0.1:${target.port}` : verdict, transport);
  }

  async function sipp(scenario: string, verdict: string, transport: 'tcp' | undefined): Promise<SipPeer> {
    const peer = await startSipp({
      scenario,
      verdict,
      transport: transport ?? 'udp',
      lenient: true,
    });
    peers.push(peer);
    return peer;
  }

  /** The trunk of the account leads to the phone of the case. */
  async function transferTo(account: TestAccount, name: string, given: Case): Promise<void> {
    const api = apiOf(stack, account);
    const { port } = await colleague(name, given);
    const values = [account.trunkId, port, given.transport ?? 'udp'];
    await database.query('UPDATE sip_trunks SET port = $2, transport = $3 WHERE id = $1', values);
    const { settings, ring_timeout_seconds } = given;
    const destinations = [{ name: 'colleague', to_number: '+15550002201', ring_timeout_seconds }];
    const { call_id: callId } = await api.createCall({
      to_number: `sip:press_8-${peers.length}@127.0.0.1:${caller.phone.port}`,
      agent_overrides: { call_transfer: { ...settings, destinations } },
    });
    const tool = await toolCallOf(callId);
    const { status, transfers } = await api.call(callId);
    outcomes.set(name, { tool, transfers: transfers, isCallerConnected: status === 'in_progress' });
    await api.cancel(callId).catch(() => undefined);
  }

  async function toolCallOf(callId: string): Promise<CallEvent> {
    for (const late = Date.now() + PATIENCE_MS; ; await delay(100)) {
      const events = await eventsOfCall(database, callId);
      const found = events.find(({ type, data }) => type === 'tool_call' && data.name === 'call_transfer');
      if (found) return found;
      if (Date.now() > late) throw new Error(JSON.stringify(events));
    }
  }

  it.each(Object.keys(CASES))('with %s has its result, and the caller stays connected', (name) => {
    const { transfer, code } = CASES[name]!;
    const { tool, transfers, isCallerConnected } = outcomes.get(name)!;
    const { status, ...others } = transfer;
    expect(transfers).toMatchObject([others]);
    // The people of a joined call still talk.
    expect(transfers[0]!.status).toBe(code === undefined ? 'in_progress' : status);
    expect(tool.data).toMatchObject(code === undefined ? { ok: true } : { ok: false, result: { error: { code } } });
    expect(isCallerConnected).toBe(true);
  });
});
