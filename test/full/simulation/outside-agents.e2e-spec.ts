import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { builtInSpeech } from '@app/simulation/tester';
import { SandboxServer } from '@app/sandbox';
import { startSandboxPhone } from '@app/sandbox/phone';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';
import { OutsideAgent } from '../../support/outside-agent.js';
import { type CommandOutput, runCommand } from '../../support/run-command.js';

interface Played {
  name: string;
  agent: string;
  passed: boolean;
  passes: number;
  error: string | null;
  steps: { failures: string[]; spoke_after_ms: number | null }[];
  checks: { name: string; failures: string[] }[];
  transcript: { role: string; text: string; started_ms: number; ended_ms: number }[];
  usage: { kind: string; quantity: number; source: string }[];
  costMicros: number;
  end: { endedBy: string; cause: string } | null;
  audio: { responses: number[]; mos: number } | null;
  sip: { status: number | null; duration_ms: number } | null;
  call: null;
  conversations: Played[];
}

const SECRET_KEY = 'the secret key of the tests, 32+ characters';
const KEY = 'the key of the transcriber';
const identity = { on: 'cost', say: 'Please tell me your date of birth.' };
const price = { on: '1984', say: 'Thank you. It costs three euros per month.' };
const goodbye = { on: 'bye', say: 'Goodbye. Have a nice day.', hangsUp: true as const };
const GREETING = 'Hello, this is ACME. How can I help you?';

const SCENARIO = {
  name: 'asks an outside agent for the price',
  channel: 'sip',
  transcriber: { provider: 'deepgram', language: 'en' },
  // The peer and the emulated transcriber recognise the words of testers.
  profile: { voice: 'built_in', carries_words: true },
  persona: {
    rules: [
      { when: 'this is ACME', say: 'What does my contract cost?' },
      { when: 'date of birth', say: 'It is the third of May 1984.' },
      { when: 'euros', say: 'Thank you, bye.' },
    ],
  },
  judge: {
    must_say: 'three euros',
    order: { first: { says: 'date of birth' }, then: { says: 'euros' } },
    max_turns: 10,
    ends: 'hangup',
    audio: { response_ms: 30_000, talks_over: 0, mos: 3 },
  },
};

describe('scenarios with an agent outside of Trunkline', () => {
  let database: TestDatabase;
  let pool: Pool;
  let own: Workspace;
  let folder: string;
  let transcriber: SandboxServer;
  let agents: OutsideAgent[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 1 });
    // The database is dropped while the server still reads our goodbye.
    pool.on('error', () => undefined);
    own = await aWorkspace(pool);
    folder = await mkdtemp(join(tmpdir(), 'trunkline-outside-'));
    transcriber = await SandboxServer.start({ speech: builtInSpeech(), key: KEY });
    const unit = { kind: 'transcription_seconds', source: 'deepgram:nova-3', unit_price_usd: 0.001 };
    await writeFile(join(folder, 'prices.yaml'), JSON.stringify({ version: 'test', prices: [unit] }));
  });
  afterEach(async () => {
    await Promise.all(agents.map((agent) => agent.close()));
    agents = [];
  });
  afterAll(async () => {
    await transcriber?.close();
    await pool?.end();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function agentWith(options: Parameters<typeof OutsideAgent.start>[0]): Promise<OutsideAgent> {
    const agent = await OutsideAgent.start(options);
    agents.push(agent);
    return agent;
  }

  async function simulate(
    file: object,
    { words = [], env = {} }: { words?: string[]; env?: Record<string, string | undefined> } = {},
  ): Promise<CommandOutput> {
    const path = join(folder, 'outside.json');
    await writeFile(path, JSON.stringify(file));
    return runCommand(['simulate', path, ...words], {
      DATABASE_URL: database.url,
      SECRET_KEY,
      SIP_ALLOW_CIDRS: '127.0.0.0/8',
      DEEPGRAM_URL: `http://127.0.0.1:${transcriber.port}`,
      DEEPGRAM_API_KEY: KEY,
      PRICE_BOOK: join(folder, 'prices.yaml'),
      ...env,
    });
  }

  async function played(...parameters: Parameters<typeof simulate>): Promise<Played[]> {
    const [file, options] = parameters;
    const { stdout, stderr } = await simulate(file, { ...options, words: ['--json', ...(options?.words ?? [])] });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Played[];
  }

  /** With the transcript, which explains them. */
  function failuresOf({ error, steps, checks, transcript }: Played): string {
    const failures = [...(error === null ? [] : [error]), ...[...steps, ...checks].flatMap((one) => one.failures)];
    return failures.length === 0
      ? ''
      : [...failures, ...transcript.map(({ role, text }) => `${role}: ${text}`)].join('\n');
  }

  it('a healthy agent passes, and the caller finds the wrong price of a broken one', async () => {
    const [healthy, broken] = await Promise.all([
      agentWith({ greetings: [GREETING], rules: [goodbye, identity, price] }),
      agentWith({
        greetings: [GREETING],
        rules: [goodbye, identity, { ...price, say: 'Thank you. It costs four euros per month.' }],
      }),
    ]);
    const scenarios = [
      { ...SCENARIO, target: healthy.uri },
      { ...SCENARIO, target: broken.uri },
    ];
    const [passed, failed] = await played({ scenarios }, { words: ['--parallel', '1'] });
    expect([failuresOf(passed!), passed!.passed]).toEqual(['', true]);
    expect(passed).toMatchObject({ agent: healthy.uri, call: null, sip: { status: 200 } });
    expect(passed!.sip!.duration_ms).toBeGreaterThan(5_000);
    expect(passed!.audio!.mos).toBeGreaterThan(3);
    const said = passed!.transcript.map(({ role, text }) => `${role}: ${text}`);
    expect(said).toEqual(
      expect.arrayContaining([
        `agent: ${GREETING}`,
        'caller: What does my contract cost?',
        `agent: ${identity.say}`,
        'caller: It is the third of May 1984.',
        `agent: ${price.say}`,
        'caller: Thank you, bye.',
        `agent: ${goodbye.say}`,
      ]),
    );
    expect(failed!.passed).toBe(false);
    expect(failuresOf(failed!)).toContain('The agent did not say "three euros".');
  });

  it('the limit of the duration begins with the answer', async () => {
    const log = { debug: () => undefined, warn: () => undefined };
    const rtpPorts = { min: 29_300, max: 29_398 };
    const phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, log });
    try {
      const target = `sip:answer_after_4@127.0.0.1:${phone.port}`;
      const [late] = await played({ ...SCENARIO, target, max_seconds: 2 });
      expect(late).toMatchObject({ error: 'The simulation took longer than 2 s.', sip: { status: 200 } });
    } finally {
      await phone.close();
    }
  });

  it('steps hear words and keys, the transcriber is billed to the account, and JUnit reports a flaky scenario', async () => {
    const agent = await agentWith({
      greetings: [GREETING, 'Hello, this is nobody.'],
      rules: [{ on: 'price', say: 'It costs three euros.' }],
    });
    const steps = [
      { expects: 'this is ACME' },
      { keys: '5' },
      { says: 'Tell me the price.', expects: { matches: '(?i)three euros' }, within_ms: 30_000, ends: false },
    ];
    const report = join(folder, 'report.xml');
    const file = { ...SCENARIO, target: agent.uri, persona: undefined, judge: undefined, steps, repeat: 2 };
    const words = ['--junit', report, '--pass-rate', '0.5'];
    const [result] = await played(file, { words });
    expect(result).toMatchObject({ passed: true, passes: 1 });
    expect(agent.keys).toBe('55');
    const healthy = result!.conversations.find(({ passed }) => passed);
    expect(healthy!.steps[2]!.spoke_after_ms).toBeGreaterThan(0);
    expect(healthy!.usage).toEqual([
      { kind: 'transcription_seconds', quantity: expect.any(Number), unit: 'second', source: 'deepgram:nova-3' },
    ]);
    expect(healthy!.costMicros).toBe(Math.round(healthy!.usage[0]!.quantity * 1_000));
    const { rows } = await pool.query('SELECT micros FROM daily_spend WHERE account_id = $1', [own.accountId]);
    expect(Number(rows[0].micros)).toBeGreaterThanOrEqual(healthy!.costMicros * 1.5);
    const xml = await readFile(report, 'utf8');
    expect(xml).toContain(`classname="${agent.uri}"`);
    for (const [name, value] of Object.entries({ repetitions: 2, passes: 1, required_rate: 0.5, flaky: true }))
      expect(xml).toContain(`<property name="${name}" value="${value}"/>`);
  });

  it.each<[string, { calls: number; env?: Record<string, string | undefined>; refuses?: number }, RegExp]>([
    [
      'without a key of the transcriber',
      { calls: 0, env: { DEEPGRAM_URL: undefined, DEEPGRAM_API_KEY: undefined } },
      /^The transcriber deepgram needs DEEPGRAM_API_KEY, or DEEPGRAM_URL for another server\.$/m,
    ],
    [
      'with a vendor that the sandbox plays',
      { calls: 0, env: { DEEPGRAM_URL: 'sandbox', DEEPGRAM_API_KEY: undefined } },
      /^The transcriber deepgram needs DEEPGRAM_API_KEY/m,
    ],
    [
      'with a refused key of the transcriber',
      { calls: 1, env: { DEEPGRAM_API_KEY: 'wrong' } },
      /No transcriber works: .*key/,
    ],
    [
      'at a private address',
      { calls: 0, env: { SIP_ALLOW_CIDRS: undefined } },
      /no public address: SIP_ALLOW_CIDRS must contain it/,
    ],
    ['that is busy', { calls: 1, refuses: 486 }, /refused the call with SIP status 486/],
  ])('an agent %s cannot be tested: exit code 2 and a sentence', async (_, { calls, env, refuses }, sentence) => {
    const agent = await agentWith({ greetings: [GREETING], refuses });
    const { code, stdout, stderr } = await simulate({ ...SCENARIO, target: agent.uri }, { env });
    expect([code, agent.calls, stdout + stderr]).toEqual([2, calls, expect.stringMatching(sentence)]);
    expect(stdout).not.toMatch(/^passed/);
  });

  it('an emergency number is not called, whatever follows the host of its SIP URI', async () => {
    const agent = await agentWith({ greetings: [GREETING] });
    const target = `${agent.uri.replace('sip:agent@', 'sip:911@')};x=alice@harmless.example`;
    const { code, stdout, stderr } = await simulate({ ...SCENARIO, target });
    expect([code, agent.calls, stdout + stderr]).toEqual([2, 0, expect.stringMatching(/cannot be called: Calls to/)]);
  });

  it('the status of a refusal is in the result', async () => {
    const agent = await agentWith({ greetings: [GREETING], refuses: 603 });
    const [result] = await played({ ...SCENARIO, target: agent.uri });
    expect(result).toMatchObject({ passed: false, sip: { status: 603, duration_ms: 0 }, audio: null, transcript: [] });
  });
});
