import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { Stack } from '../../support/stack.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

interface Simulated {
  passed: boolean;
  error: string | null;
  steps: { failures: string[] }[];
  checks: { name: string; failures: string[] }[];
  transcript: { role: string; text: string }[];
  audio: { responses: number[]; interruptions: number[]; mos: number; loss: number; codec: string };
  call: { id: string; status: string; hangup_cause: string; recorded: boolean; cost: number };
}

type EndedCall = { direction: string; status: string; hangup_cause: string | null };

const price = { on: { text: '1984' }, say: 'Thank you. It costs three euros per month.' };
const identity = { on: { text: 'cost' }, say: 'Please tell me your date of birth.' };
const transfer = { on: { text: 'person' }, say: 'I connect you.', transfer: true };
const HEALTHY = [identity, price, transfer];
const SCENARIO = {
  name: 'asks for the price and for a person',
  channel: 'sip',
  direction: 'outbound',
  max_seconds: 120,
  persona: {
    rules: [
      { when: 'this is ACME', say: 'What does my contract cost?' },
      { when: 'date of birth', say: 'It is the third of May 1984.' },
      { when: 'euros', say: 'I want to speak to a person.' },
    ],
    goal: { calls: 'call_transfer' },
  },
  judge: {
    must_say: 'three euros',
    must_call: 'call_transfer',
    order: { first: { says: 'date of birth' }, then: { says: 'euros' } },
    max_words: 20,
    audio: { response_ms: 4_000, talks_over: 0, mos: 3 },
  },
};

describe('tester callers over SIP', () => {
  let stack: Stack;
  let phone: SandboxPhone;

  beforeAll(async () => {
    const log = { debug: () => undefined, warn: () => undefined };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 28_800, max: 28_999 }, log });
    const sipPort = String(await freePort());
    stack = await Stack.start({ dialers: 0, env: { TESTER_TARGET: `127.0.0.1:${sipPort}` } });
    // A dialer reads the trunks at its start.
    caller = await accountWith(
      'inbound',
      [...HEALTHY, { on: { text: 'story' }, say: 'Once upon a time. '.repeat(12) }],
      {
        inbound: { addresses: ['127.0.0.1'] },
      },
    );
    await stack.add('dialer', { SIP_PORT: sipPort });
    ended = endsOfKilledCallers();
    // It is awaited by its test.
    ended.catch(() => undefined);
  });

  afterAll(async () => {
    await stack?.stop();
    await phone?.close();
  });

  let caller: TestAccount;
  /** Runs beside the first tests: the dialer notices a lost caller after a minute. */
  let ended: Promise<EndedCall[]>;

  /** Kills a process with one call in each direction, and waits until both calls have ended. */
  async function endsOfKilledCallers(): Promise<EndedCall[]> {
    const runner = await stack.add('api', { PORT: String(await freePort()) });
    const database = new Client({ connectionString: stack.database.url });
    await database.connect();
    const calls = async (): Promise<EndedCall[]> => {
      const found = `SELECT direction, status, hangup_cause FROM calls WHERE metadata->>'test_run' LIKE 'killed %'`;
      return (await database.query<EndedCall>(found)).rows;
    };
    for (const direction of ['inbound', 'outbound'])
      void playOn(`http://127.0.0.1:${String(runner.ready.port)}`, caller, {
        ...{ name: `killed ${direction}`, channel: 'sip', direction, max_seconds: 600 },
        steps: [{ silence: 500 }],
      }).catch(() => undefined);
    try {
      await eventually(calls, (all) => all.filter(({ status }) => status === 'in_progress').length === 2);
      await stack.kill(runner);
      return await eventually(calls, (all) => all.every(({ status }) => status === 'completed'));
    } finally {
      await database.end();
    }
  }

  const accountWith = (name: string, rules: object[], trunk: object = {}): Promise<TestAccount> =>
    createAccount(stack, {
      name,
      trunk: { port: phone.port, ...trunk },
      agent: {
        script: { rules },
        call_transfer: { enabled: true, phone_number: '+15557770000' },
        // Calls end by what a test does, not by their silence.
        conversation: { idle: { after_seconds: 600, prompts: 0 } },
      },
    });

  const playOn = (baseUrl: string, own: TestAccount, scenario: object): Promise<Response> =>
    fetch(`${baseUrl}/api/v1/agents/${own.agentId}/simulations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(scenario),
    });

  async function play(own: TestAccount, scenario: object): Promise<Simulated> {
    const response = await playOn(stack.baseUrl, own, scenario);
    const body = (await response.json()) as { message?: string; data: Simulated };
    expect([response.status, body.message]).toEqual([200, undefined]);
    return body.data;
  }

  /** With the transcript, which explains them. */
  function failuresOf({ error, steps, checks, transcript }: Simulated): string {
    const failures = [...(error === null ? [] : [error]), ...[...steps, ...checks].flatMap((one) => one.failures)];
    return failures.length === 0
      ? ''
      : [...failures, ...transcript.map(({ role, text }) => `${role}: ${text}`)].join('\n');
  }

  it('a caller calls the number of the agent, is understood although packets are lost, presses keys and interrupts; the call is marked as a test', async () => {
    const result = await play(caller, {
      ...SCENARIO,
      direction: 'inbound',
      profile: { like: 'lossy', codec: 'PCMA', volume_db: -6 },
      persona: undefined,
      steps: [
        { expects: 'this is ACME' },
        { keys: '5', expects: 'key 5' },
        { says: 'Tell me a story.', interrupt_after_ms: 1_500 },
        { says: 'What does my contract cost?', expects: 'date of birth' },
      ],
      judge: { audio: { interruption_ms: 1_500, recording: true } },
    });
    expect([failuresOf(result), result.passed]).toEqual(['', true]);
    expect(result.audio).toMatchObject({ codec: 'PCMA', interruptions: [expect.any(Number)] });
    expect(result.audio.loss).toBeGreaterThan(0.01);
    expect(result.call).toMatchObject({ status: 'completed', recorded: true });
    const call = await apiOf(stack, caller).call(result.call.id);
    expect(call).toMatchObject({ direction: 'inbound', metadata: { test_run: SCENARIO.name } });
  });

  it('an agent calls a caller with a wideband codec, and what it did is judged: what it said, in which order, and its tools', async () => {
    const healthy = await accountWith('healthy', HEALTHY);
    const result = await play(healthy, { ...SCENARIO, profile: 'wideband' });
    expect([failuresOf(result), result.passed]).toEqual(['', true]);
  });

  it('calls of a killed process end within about a minute, in both directions', async () => {
    const calls = await ended;
    expect(calls.map(({ direction }) => direction).toSorted()).toEqual(['inbound', 'outbound']);
    for (const { hangup_cause: cause } of calls) expect(cause).toBe('media_timeout');
  });
});
