import { type CallCommand, type Schemas, sendCommand } from '@app/client';
import type { PhoneCallRecord } from '@app/sandbox/phone';
import { holdMusic } from '@app/voice';
import { decode } from '@app/telephony';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { type CallEvent, eventsOfCall } from '../../support/call-events.js';
import { RecordingPhone } from '../../support/commanded-calls.js';
import { Stack } from '../../support/stack.js';
import { loudness } from '../../support/stereo-wav.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const PATIENCE_MS = 120_000;
/** Calls at the same time. */
const AT_ONCE = 5;

type Transfer = Schemas['TransferDto'];

interface Destination {
  to: string;
  extension?: string;
  ring_timeout_seconds?: number;
}

interface Outcome {
  callId: string;
  /** The result of the tool, once there is one. */
  tool?: CallEvent;
  transfers: Transfer[];
}

/** One attempt with its outcome; the last part of each extension makes it unique. */
interface Case {
  /** Of the phone that is transferred to. */
  destinations: Destination[];
  settings?: Record<string, unknown>;
  /** Ends the caller's leg at this moment. */
  leaves?: 'ringing' | 'briefing' | 'joined';
  decliner?: true;
}

const one = (to: string, more: Partial<Destination> = {}): Destination[] => [{ to, ...more }];

const CASES = {
  acceptKey: { destinations: one('accept-a') },
  acceptVoice: { destinations: one('hello-b') },
  declineKey: { destinations: one('decline-c') },
  declineVoice: { destinations: one('hello-d'), decliner: true },
  noReaction: { destinations: one('silent-e'), settings: { accept_timeout_seconds: 5 } },
  hangUpInBriefing: { destinations: one('hangup_after_4-f') },
  busy: { destinations: one('busy-g') },
  rejected: { destinations: one('reject-h') },
  unknown: { destinations: one('status_404-i') },
  unavailable: { destinations: one('status_480-j') },
  ringTimeout: { destinations: one('no_answer-k', { ring_timeout_seconds: 2 }) },
  voicemail: { destinations: one('voicemail-l') },
  fax: { destinations: one('fax-m') },
  leavesWhileRinging: { destinations: one('no_answer-n'), leaves: 'ringing' },
  leavesInBriefing: { destinations: one('silent-o'), leaves: 'briefing' },
  leavesAfterJoin: { destinations: one('accept-p'), leaves: 'joined' },
  secondDestination: { destinations: [{ to: 'busy-q' }, { to: 'accept-q' }] },
  extension: { destinations: one('accept-r', { extension: ',42' }) },
  conference: { destinations: one('accept-s'), settings: { mode: 'conference' } },
} satisfies Record<string, Case>;

/** The caller presses 8, which requests the transfer from the sandbox agent; the trunk leads to the colleague's phone. */
describe('a warm transfer', () => {
  let stack: Stack;
  let caller: RecordingPhone;
  let colleague: RecordingPhone;
  let account: TestAccount;
  let decliner: TestAccount;
  let api: ApiClient;
  let database: Client;
  const outcomes = {} as Record<keyof typeof CASES, Outcome>;

  beforeAll(async () => {
    caller = await RecordingPhone.start(27_000, { greetingMs: 10_000, turnMs: 60_000 });
    colleague = await RecordingPhone.start(27_400, { greetingMs: 10_000, turnMs: 60_000 });
    stack = await Stack.start();
    const trunk = { port: colleague.phone.port };
    const agent = { call_transfer: { enabled: true, phone_number: '+15550002200', mode: 'warm' } };
    account = await createAccount(stack, { name: 'acme', trunk, agent });
    const rules = [
      { on: { digits: '8' }, transfer: true },
      { on: { speech: true }, call: [{ tool: 'decline_transfer' }] },
    ];
    decliner = await createAccount(stack, { name: 'decliner', trunk, agent: { ...agent, script: { rules } } });
    api = apiOf(stack, account);
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
    const waiting = Object.entries(CASES) as [keyof typeof CASES, Case][];
    const run = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        outcomes[next[0]] = await outcomeOf(next[0], next[1]);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, run));
  }, 300_000);

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await Promise.all([caller?.close(), colleague?.close()]);
  });

  async function place(name: string, { destinations, settings, decliner: declines }: Case): Promise<string> {
    const by = apiOf(stack, declines ? decliner : account);
    const list = destinations.map(({ to, ...more }) => ({
      name: to,
      to_number: `sip:${to}@127.0.0.1:${colleague.phone.port}`,
      ...more,
    }));
    const agent_overrides = { call_transfer: { ...settings, destinations: list } };
    const to_number = `sip:press_8-${name}@127.0.0.1:${caller.phone.port}`;
    return (await by.createCall({ to_number, agent_overrides })).call_id;
  }

  /** Resolves when the call has the state. */
  async function until<T>(callId: string, look: () => Promise<T | undefined>): Promise<T> {
    for (const late = Date.now() + PATIENCE_MS; ; await delay(100)) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > late) throw new Error(JSON.stringify(await eventsOfCall(database, callId)));
    }
  }

  const transferTool = async (callId: string) =>
    (await eventsOfCall(database, callId)).find(
      ({ type, data }) => type === 'tool_call' && data.name === 'call_transfer',
    );

  async function outcomeOf(name: keyof typeof CASES, given: Case): Promise<Outcome> {
    const by = apiOf(stack, given.decliner ? decliner : account);
    const callId = await place(name, given);
    const transfers = async () => (await by.call(callId)).transfers as Transfer[];
    if (given.leaves) {
      const wanted = { ringing: 'ringing', briefing: 'briefing', joined: 'in_progress' }[given.leaves];
      await until(callId, async () => ((await transfers()).at(-1)?.status === wanted ? true : undefined));
    }
    const tool = given.leaves ? undefined : await until(callId, () => transferTool(callId));
    // The people of a joined call hear each other for a while.
    if (tool?.data.ok) await delay(5_000);
    // It may have ended meanwhile.
    await by.cancel(callId).catch(() => undefined);
    await until(callId, async () => ((await by.call(callId)).ended_at ? true : undefined));
    return { callId, tool, transfers: await transfers() };
  }

  const send = (callId: string, command: CallCommand) => sendCommand(api, callId, command);

  const phoneCall = (user: string): PhoneCallRecord => colleague.phone.calls.find((call) => call.requestUser === user)!;

  it.each<[string, keyof typeof CASES, object]>([
    ['key 1 of the colleague is completed', 'acceptKey', { status: 'completed', accepted_by: 'key' }],
    ['the yes of the colleague is completed', 'acceptVoice', { status: 'completed', accepted_by: 'voice' }],
    ['a colleague who answers as second destination is completed', 'secondDestination', { status: 'completed' }],
    ['an extension that is dialled after the answer is completed', 'extension', { status: 'completed' }],
    ['a colleague who joins a conference is completed', 'conference', { status: 'completed', mode: 'conference' }],
  ])('with %s', (_, name, transfer) => {
    const { tool, transfers } = outcomes[name];
    expect(tool?.data).toMatchObject({ ok: true, result: { transferred: true } });
    expect(transfers.at(-1)).toMatchObject({ method: 'bridge', declined_reason: null, ...transfer });
    expect(transfers.at(-1)!.joined_at! > transfers.at(-1)!.answered_at!).toBe(true);
  });

  it.each<[string, keyof typeof CASES, object, string]>([
    ['key 2 of the colleague', 'declineKey', { status: 'declined', declined_reason: 'key' }, 'declined'],
    ['the no of the colleague', 'declineVoice', { status: 'declined', declined_reason: 'voice' }, 'declined'],
    ['a silent colleague', 'noReaction', { status: 'declined', declined_reason: 'no_reaction' }, 'no_reaction'],
    ['a hang-up in the briefing', 'hangUpInBriefing', { status: 'declined', declined_reason: 'hung_up' }, 'declined'],
    ['a busy phone (486)', 'busy', { status: 'busy', hangup_cause: 'user_busy' }, 'busy'],
    ['a rejection (603)', 'rejected', { status: 'busy', hangup_cause: 'call_rejected' }, 'busy'],
    ['an unknown number (404)', 'unknown', { status: 'failed', hangup_cause: 'unallocated_number' }, 'failed'],
    ['an unavailable phone (480)', 'unavailable', { status: 'no_answer', sip_code: 480 }, 'no_answer'],
    ['a phone that rings too long', 'ringTimeout', { status: 'no_answer', hangup_cause: 'no_answer' }, 'no_answer'],
    ['a voicemail with a beep', 'voicemail', { status: 'declined', declined_reason: 'voicemail' }, 'voicemail'],
    ['a fax machine', 'fax', { status: 'declined', declined_reason: 'fax' }, 'fax'],
  ])('with %s returns the caller to the agent with the reason', (_, name, transfer, code) => {
    const { tool, transfers } = outcomes[name];
    expect(transfers).toMatchObject([{ ...transfer, joined_at: null, accepted_by: null }]);
    expect(tool?.data).toMatchObject({ ok: false, result: { error: { code } } });
  });

  it.each<[string, keyof typeof CASES, string]>([
    ['while the colleague rings', 'leavesWhileRinging', 'cancelled'],
    ['in the briefing', 'leavesInBriefing', 'cancelled'],
    ['after the join', 'leavesAfterJoin', 'completed'],
  ])('whose caller leaves %s ends the second leg', async (_, name, status) => {
    const { transfers } = outcomes[name];
    const user = (CASES[name] as Case).destinations[0]!.to;
    await colleague.phone.waitFor((call) => call.requestUser === user && call.endedBy !== undefined);
    expect(transfers).toMatchObject([{ status }]);
  });

  it('tries the second destination after the first, and dials the extension of the colleague', () => {
    expect(outcomes.secondDestination.transfers).toMatchObject([
      { destination: 'busy-q' },
      { destination: 'accept-q' },
    ]);
    expect(phoneCall('accept-r').digits).toBe('42');
  });

  it('plays music to the caller and the briefing to the colleague, and nothing else to the caller', async () => {
    const { callId, transfers } = outcomes.acceptKey;
    const [transfer] = transfers;
    const phone = caller.phone.calls.find((call) => call.requestUser === 'press_8-acceptKey')!;
    const heard = await caller.heardBy('press_8-acceptKey');
    const at = (time: string) => Date.parse(time) - phone.answeredAt!;
    const [from, to] = [at(transfer!.answered_at!) + 300, at(transfer!.joined_at!) - 400];
    const window = heard.subarray(from * 8, to * 8);
    expect(loudness(window)).toBeGreaterThan(50);
    expect(otherThanMusic(window)).toBeLessThan(0.02);
    const briefed = await colleague.heardBy('accept-a');
    expect(
      loudness(briefed, 0, Date.parse(transfer!.joined_at!) - phoneCall('accept-a').answeredAt! - 200),
    ).toBeGreaterThan(200);
    const events = await eventsOfCall(database, callId);
    expect(events.filter(({ type }) => type === 'transfer_briefing')).toMatchObject([
      { data: { destination: 'accept-a', text: 'The callee asked for it.' } },
    ]);
  });

  it('lets all three of a conference hear each other', async () => {
    const joined = Date.parse(outcomes.conference.transfers[0]!.joined_at!);
    const { answeredAt } = phoneCall('accept-s');
    // The caller speaks when it hears the agent, which goes on after the join.
    expect(loudness(await colleague.heardBy('accept-s'), joined - answeredAt! + 500)).toBeGreaterThan(100);
    const speaker = caller.phone.calls.find((call) => call.requestUser === 'press_8-conference')!;
    expect(loudness(await caller.heardBy('press_8-conference'), joined - speaker.answeredAt! + 500)).toBeGreaterThan(
      100,
    );
  });

  it('by a command is cancelled by another one, and the caller stays with the agent', async () => {
    const to_number = `sip:answer-t@127.0.0.1:${caller.phone.port}`;
    const { call_id: callId } = await api.createCall({ to_number });
    await until(callId, async () => ((await api.call(callId)).status === 'in_progress' ? true : undefined));
    await send(callId, { type: 'transfer', phone_number: '+15550002292', mode: 'warm', summary: 'Ada calls.' });
    await until(callId, async () => ((await api.call(callId)).transfers[0]?.status === 'ringing' ? true : undefined));
    await send(callId, { type: 'cancel_transfer' });
    await until(callId, async () => ((await api.call(callId)).transfers[0]?.status === 'cancelled' ? true : undefined));
    expect(await api.call(callId)).toMatchObject({ status: 'in_progress' });
    await api.cancel(callId);
  });

  it('ends with its second leg when the dialer is drained in the briefing', async () => {
    const callId = await place('drained', { destinations: one('silent-u') });
    await until(callId, async () =>
      (await api.call(callId)).transfers.at(-1)?.status === 'briefing' ? true : undefined,
    );
    await stack.retire(stack.processes.find(({ role }) => role === 'dialer')!);
    await colleague.phone.waitFor((call) => call.requestUser === 'silent-u' && call.endedBy !== undefined);
    expect(phoneCall('silent-u').endedBy).toBe('caller');
  });
});

const CHUNK = 4_000;
const WANDER = 640;

/** The share of the energy that is not the hold music: the median of half seconds, each aligned near the one before it. */
function otherThanMusic(audio: Int16Array): number {
  const loop = decode('PCMU', holdMusic('PCMU'));
  const shares: number[] = [];
  let at = bestOffset(audio.subarray(0, 1_000), loop, 0, loop.length).offset;
  for (let from = 0; from + CHUNK <= audio.length; from += CHUNK) {
    const best = bestOffset(audio.subarray(from, from + CHUNK), loop, at - WANDER, 2 * WANDER);
    shares.push(best.share);
    at = best.offset + CHUNK;
  }
  return shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 1;
}

function bestOffset(audio: Int16Array, loop: Int16Array, first: number, count: number) {
  let best = { share: 1, offset: first };
  for (let offset = first; offset < first + count; offset++) {
    const share = shareOutside(audio, loop, offset + loop.length);
    if (share < best.share) best = { share, offset };
  }
  return best;
}

function shareOutside(audio: Int16Array, loop: Int16Array, offset: number): number {
  let [energy, product, reference] = [1, 0, 1];
  for (let i = 0; i < audio.length; i++) {
    const music = loop[(offset + i) % loop.length]!;
    energy += audio[i]! ** 2;
    product += audio[i]! * music;
    reference += music ** 2;
  }
  return 1 - product ** 2 / reference / energy;
}
