import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf, type Schemas } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { ModelServer } from '../../support/model-server.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const PATIENCE_MS = 120_000;
const QUESTION = 'May we record this call?';
const BY_RULES = { extract: { type: 'object', properties: { digits: { type: 'string' } } } };
const CONFIRMED = { name: 'confirmed', question: 'Did the person confirm the appointment?', type: 'boolean' };
const BY_MODEL = { model: { provider: 'openai-compatible', model: 'emulated' }, rubric: [CONFIRMED] };
const confirmed = (quote: string) => ({
  rubric: { confirmed: true },
  evidence: [{ for: 'rubric.confirmed', line: 'K1', quote }],
});

let stack: Stack;
let phone: SandboxPhone;
let models: ModelServer;

beforeAll(async () => {
  models = await ModelServer.start();
  models.answer = ({ prompt }) => {
    if (prompt.includes('keypad: "5"')) return confirmed('5');
    return prompt.includes('keypad: "6"') ? 'I would rather not.' : confirmed('yes, I do');
  };
  phone = await startSandboxPhone({
    ...{ bind: '127.0.0.1', port: 0, rtpPorts: { min: 27_600, max: 27_799 }, ringMs: 50 },
    log: { debug: () => undefined, warn: () => undefined },
  });
  stack = await Stack.start({ env: { COMPATIBLE_URL: models.url } });
});

afterAll(async () => {
  await stack?.stop();
  await Promise.all([phone?.close(), models?.stop()]);
});

/** The agent hangs up after the first keys. */
const script = { rules: [{ on: 'digits', say: 'Thank you. Goodbye.', hang_up: true }] };
const anAccount = (name: string, agent: Record<string, unknown>): Promise<TestAccount> =>
  createAccount(stack, { name, agent: { max_call_seconds: 25, script, ...agent } });

type Contact = Schemas['ContactDto'];
interface Campaign {
  /** By the name of the extension. */
  contacts: Map<string, Contact>;
  calls: Schemas['CallDto'][];
}

/** Runs a campaign over phones with these extensions to its end. */
async function campaignOver(
  account: TestAccount,
  extensions: string[],
  settings: Record<string, unknown> = {},
): Promise<Campaign> {
  const api = apiOf(stack, account);
  const body = { name: 'campaign', agent_id: account.agentId, number_ids: [account.numberId], ...settings };
  const { id: campaignId } = await dataOf(api.POST('/api/v1/campaigns', { body }));
  const params = { path: { campaignId } };
  const contacts = extensions.map((one) => ({ to_number: `sip:${one}@127.0.0.1:${phone.port}` }));
  await dataOf(api.POST('/api/v1/campaigns/{campaignId}/contacts', { params, body: { contacts } }));
  await dataOf(api.POST('/api/v1/campaigns/{campaignId}/start', { params }));
  await eventually(
    () => dataOf(api.GET('/api/v1/campaigns/{campaignId}', { params })),
    ({ status }) => status === 'completed',
    PATIENCE_MS,
  );
  const listed = await dataOf(api.GET('/api/v1/campaigns/{campaignId}/contacts', { params }));
  const calls = await dataOf(api.GET('/api/v1/calls', { params: { query: { campaign_id: campaignId } } }));
  return { contacts: new Map(listed.map((one) => [/^sip:(.*)@/.exec(one.to_number)![1]!, one])), calls };
}

const retry = { max_attempts: 2, delay_minutes: {} };

describe('the analysis of its calls decides whether a campaign calls a contact again', () => {
  it('by rules: the keys that confirm end the attempts, other keys and none of them do not', async () => {
    const account = await anAccount('rules', { analysis: BY_RULES });
    const unless = { field: 'digits', equals: ['1', '3'], delay_minutes: 0 };
    const extensions = ['press_1', 'press_3', 'press_2', 'hangup_after_1'];
    const { contacts, calls } = await campaignOver(account, extensions, { retry: { ...retry, unless } });
    const found = extensions.map((one) => contacts.get(one));
    const evidence = [{ type: 'keypad' }];
    expect(found).toMatchObject([
      { status: 'reached', attempts: 1, analysis: { value: '1', matches: true, evidence } },
      { status: 'reached', attempts: 1, analysis: { value: '3', matches: true } },
      { status: 'exhausted', attempts: 2, reason: 'attempts_exhausted', analysis: { value: '2', matches: false } },
      { status: 'exhausted', attempts: 2, analysis: { value: null, matches: false, evidence: [] } },
    ]);
    expect(calls).toHaveLength(6);
    expect(calls.every(({ status }) => status === 'completed')).toBe(true);
  });

  it('by a model: an invented quote is not a confirmation, and the answer counts when the analysis fails', async () => {
    const account = await anAccount('model', { analysis: BY_MODEL });
    const unless = { rubric: 'confirmed', equals: true, delay_minutes: 0 };
    const extensions = ['press_5', 'press_6', 'press_7'];
    const { contacts } = await campaignOver(account, extensions, { retry: { ...retry, unless } });
    expect(extensions.map((one) => contacts.get(one))).toMatchObject([
      { status: 'reached', attempts: 1, analysis: { value: true, matches: true } },
      { status: 'reached', attempts: 1, analysis: null },
      { status: 'exhausted', attempts: 2, analysis: { value: null, matches: false } },
    ]);
  });
});

describe('the calls of a campaign whose agent asks for the consent to the recording', () => {
  let campaign: Campaign;
  beforeAll(async () => {
    const recording_consent = { mode: 'ask', message: QUESTION };
    const rules = [{ on: 'speech', say: 'We call about your appointment. Goodbye.', hang_up: true }];
    const account = await anAccount('asking', { recording_consent, script: { rules } });
    campaign = await campaignOver(account, ['press_1', 'press_2', 'silent']);
  });

  const callTo = (extension: string) => campaign.calls.find(({ to_number: to }) => to.startsWith(`sip:${extension}@`))!;

  it.each([
    ['press_2', 'refused'],
    ['silent', 'no_answer'],
  ])('have no recording without it: %s is %s', (extension, result) => {
    const call = callTo(extension);
    expect(call).toMatchObject({ status: 'completed', recording_consent: { mode: 'ask', result } });
    expect(call.recording_url).toBeNull();
    expect(campaign.contacts.get(extension)).toMatchObject({ status: 'reached' });
  });

  it('are recorded from the consent on', async () => {
    const call = callTo('press_1');
    expect(call).toMatchObject({ status: 'completed', recording_consent: { mode: 'ask', result: 'accepted' } });
    const wav = Buffer.from(await (await fetch(call.recording_url!)).arrayBuffer());
    const agreedMs = Date.parse(call.recording_consent!.at) - Date.parse(call.answered_at!);
    const agent = sideOf(wav, 'agent');
    expect(agreedMs).toBeGreaterThan(1_000);
    expect(loudness(agent, 0, agreedMs - 200)).toBe(0);
    expect(loudness(sideOf(wav, 'callee'), 0, agreedMs - 200)).toBe(0);
    expect(loudness(agent, agreedMs + 500)).toBeGreaterThan(100);
  });
});
