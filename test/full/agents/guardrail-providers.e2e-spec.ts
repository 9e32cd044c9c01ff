import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventsOfCall } from '../../support/call-events.js';
import { PlayedVendors, type ProviderName, PROVIDERS } from '../../support/speech-to-speech.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount } from '../../support/workspace.js';

const log = { debug: () => undefined, warn: () => undefined };
let vendors: PlayedVendors;
let phone: SandboxPhone;
let sink: WebhookSink;
let stack: Stack;
let database: Client;

beforeAll(async () => {
  [vendors, sink] = await Promise.all([PlayedVendors.start(), WebhookSink.start()]);
  phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 29_800, max: 29_999 }, log });
  stack = await Stack.start({ env: vendors.env });
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await Promise.all([phone?.close(), sink?.close(), vendors?.close()]);
});

const DISCLOSURE = 'This is a virtual assistant.';
const CORRECTION = 'I can only tell you the amount.';
const THREAT = 'Then we go to court, and a judge will decide about all of it.';
const RULES = [
  { on: { digits: '1' }, say: THREAT },
  { on: { digits: '9' }, say: 'Goodbye.', hang_up: true },
];

/** The events of a call in which the agent says what a rule forbids. */
async function threatened(provider: ProviderName) {
  const agent = {
    greeting: 'Hello, this is ACME.',
    ...(await vendors.agent(provider, { rules: RULES })),
    disclosure: [{ language: 'en', text: DISCLOSURE }],
    guardrails: [{ name: 'no_threats', on: 'agent', pattern: 'court', action: 'replace', text: CORRECTION }],
  };
  const plan = { name: provider, webhookUrl: `${sink.url}/hook`, trunk: { port: phone.port }, agent };
  const account = await createAccount(stack, plan);
  const { call_id: id } = await apiOf(stack, account).createCall({
    to_number: `sip:press_1_9@127.0.0.1:${phone.port}`,
  });
  await sink.until(() => sink.eventsOf(id).includes('ended'));
  const call = await apiOf(stack, account).call(id);
  return { call, events: await eventsOfCall(database, id) };
}

describe('rules over SIP', () => {
  const calls = new Map<ProviderName, ReturnType<typeof threatened>>();
  // The calls of all providers at once.
  beforeAll(() => {
    for (const provider of PROVIDERS) {
      const call = threatened(provider);
      call.catch(() => undefined);
      calls.set(provider, call);
    }
  });

  it.each(PROVIDERS)(
    'an agent of %s discloses first, and what a rule forbids is replaced before it is heard to its end',
    async (provider) => {
      const { call, events } = await calls.get(provider)!;
      const said = events.flatMap(({ type, data }) => (type === 'turn' && data.role === 'agent' ? [data.text] : []));
      expect(said[0]).toContain(DISCLOSURE);
      const [disclosed] = events.filter(({ type }) => type === 'disclosure_played');
      expect(disclosed!.data.heard_ms).toBe(disclosed!.data.of_ms);
      const hits = events.filter(({ type }) => type === 'guardrail_hit');
      expect(hits.map(({ data }) => [data.name, data.action])).toEqual([['no_threats', 'replace']]);
      expect(said.join(' ')).toContain(CORRECTION);
      // Where words come before their sound, nothing of them is heard; elsewhere a part may be.
      const unheard = provider === 'sandbox' || provider === 'pipeline' ? 'court' : 'decide about all of it';
      expect(said.join(' ')).not.toContain(unheard);
      expect(call).toMatchObject({ hangup_cause: 'agent_hangup', guardrail_hits: [{ name: 'no_threats' }] });
    },
  );
});
