import type { SipRoute } from '@app/accounts';
import type { CallLeg, DialRequest, LegEnd } from '@app/telephony';
import { type ToolContext, ToolFailed } from '@app/voice';
import { describe, expect, it } from '@jest/globals';
import { FakeLeg, LEFT } from '../../../../test/support/fake-leg.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import { ConversationClock } from '../agent/conversation-clock.js';
import type { CallEndingService } from '../call/call-ending.service.js';
import { CallTransfer, MAX_TRANSFERS } from './call-transfer.js';
import type { TelephonyService } from '../trunks/telephony.service.js';
import type { Briefing, BriefingEvent, Briefings } from './transfer-briefing.js';

const TO = '+15550002222';
const BUSY = { status: 'busy', cause: 'user_busy', endedBy: 'callee', sipCode: 486 } as LegEnd;

const TRUNK = {
  ...{ host: 'sip.example', port: null, transport: 'udp', targets: null, username: null, password_sealed: null },
  ...{ from_domain: null, tls_ca: null, tls_cert: null, tls_key_sealed: null, tls_server_name: null, headers: {} },
  ...{ assert_identity: false, user_phone: true, codecs: null, srtp: 'off', transfer: 'bridge', dial_formats: null },
};
const PLAN = {
  ...{ account_id: 1, caller_id: '+15550001111', diverted_from: '+15550001111', trunk_id: 7, trunk: TRUNK },
  ...{ daily_spend_micros: null, spent_micros: '0', destinations_allow: [], destinations_deny: [] },
};

/** The trunk of the transfer, and what the services of the call return. */
interface Answers {
  trunk?: object;
  /** Of the destination; by default its host is not that of a trunk. */
  route?: SipRoute;
  /** ms until the second leg may be dialled; 'full': all lines of the trunk are taken. */
  dialIn?: number | 'full';
  /** Resolves when the database has stored the records. */
  stored?: Promise<void>;
  /** Of the first leg; null: it has none. */
  firstTrunkId?: number | null;
  /** Settings of the transfer beside the number. */
  settings?: object;
  /** The answers of the do-not-call list, one after the other. */
  listed?: boolean[];
}

function transferOf({
  trunk = {},
  route = { kind: 'direct' },
  dialIn = 0,
  stored = Promise.resolve(),
  settings = {},
  listed = [],
  firstTrunkId = PLAN.trunk_id,
}: Answers = {}) {
  /** Whether the transfer occupies a line of the trunk, as stored by each write. */
  const places: boolean[] = [];
  const claimed: number[] = [];
  const first = new FakeLeg();
  const dialled: FakeLeg[] = [];
  const requests: DialRequest[] = [];
  const records = {
    transferContext: async (_call: unknown, _number: unknown, trunkId = PLAN.trunk_id) => ({
      ...PLAN,
      trunk_id: trunkId,
      trunk: { ...TRUNK, ...trunk },
    }),
    routeOf: async () => route,
    recordTransfers: async (_call: unknown, _transfers: unknown, isLive: boolean) => {
      places.push(isLive);
      await stored;
    },
    isListed: async () => listed.shift() ?? false,
    claimTransfer: async (_call: unknown, { id }: { id: number }) => {
      claimed.push(id);
      return dialIn === 'full' ? undefined : dialIn;
    },
  } as unknown as CallRecordsService;
  const telephony = {
    caps: { bridge: true, refer: true, conference: true },
    dial: (_call: unknown, _trunk: unknown, request: DialRequest) => {
      requests.push(request);
      const leg = new FakeLeg();
      dialled.push(leg);
      return leg;
    },
  } as unknown as TelephonyService;
  const log = { error: () => undefined };
  const context = {
    settings: { transfer: { phone_number: TO, ...settings } },
    metadata: { ticket: 'A 7', customer: 17 },
    ring_timeout_seconds: 30,
    trunk_id: firstTrunkId,
    max_call_seconds: 60,
  } as unknown as CallContext;
  const briefings: { facts?: string; take: (event: BriefingEvent) => void; isStopped: boolean }[] = [];
  const left: (string | null)[] = [];
  const endings = { spendPlan: () => ({}) } as unknown as CallEndingService;
  const briefing: Pick<Briefings, 'begin' | 'usage'> = {
    usage: [],
    begin: (_leg, { summary: facts }, _record, take) => {
      const begun = { facts, take, isStopped: false };
      briefings.push(begun);
      return { usage: [], stop: () => (begun.isStopped = true) } as unknown as Briefing;
    },
  };
  const transfer = new CallTransfer(
    { telephony, records, endings, log },
    {
      call: { id: 'c', owner: 'd' },
      context,
      leg: first as unknown as CallLeg,
      clock: new ConversationClock({ now: () => new Date() }),
      notes: { note: () => undefined },
      briefings: briefing,
    },
  );
  transfer.on('conference_left', (name) => left.push(name));
  const over = new AbortController();
  let handedOver = 0;
  const toolContext = { control: { handOver: () => handedOver++ }, signal: over.signal } as unknown as ToolContext;
  const [tool] = transfer.tools();
  const run = (args: Record<string, unknown> = {}) => tool!.run(args, toolContext);
  return {
    transfer,
    tool: tool!,
    briefings,
    left,
    run,
    first,
    dialled,
    requests,
    over,
    claimed,
    places,
    handedOver: () => handedOver,
  };
}

/** Runs all pending microtasks and callbacks. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const never = new Promise<void>(() => undefined);

/** The error of a tool that fails. */
const failure = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: unknown) => error,
  );

async function until(isTrue: () => boolean): Promise<void> {
  const late = Date.now() + 3_000;
  while (!isTrue() && Date.now() < late) await settled();
  if (!isTrue()) throw new Error('It did not happen.');
}

describe('a transfer', () => {
  it('bridges the legs and hangs up the caller when the other party leaves', async () => {
    const { transfer, run, first, dialled, requests, handedOver } = transferOf();
    const done = run();
    await until(() => dialled.length > 0);
    expect(requests).toMatchObject([
      { from: { number: '+15550001111' }, divertedFrom: '+15550001111', anonymous: false },
    ]);
    dialled[0]!.emit('answered');
    await done;
    expect([handedOver(), first.bridged]).toEqual([1, true]);
    dialled[0]!.emit('ended', LEFT);
    await settled();
    expect([first.bridged, first.hungUpBy]).toEqual([false, 'transferred']);
    await transfer.end(LEFT);
    expect(transfer.transfers).toMatchObject([{ status: 'completed', hangup_cause: 'normal_clearing' }]);
  });

  it('that a model requests twice at the same time dials one leg', async () => {
    const { run, dialled } = transferOf();
    const runs = [run(), run()];
    expect(await failure(runs[1]!)).toMatchObject({ code: 'not_possible' });
    await until(() => dialled.length > 0);
    dialled[0]!.emit('ended', BUSY);
    expect(await failure(runs[0]!)).toMatchObject({ code: 'busy' });
    expect(dialled).toHaveLength(1);
  });

  it('that has succeeded is not followed by another', async () => {
    const { transfer, run, dialled } = transferOf();
    const done = run();
    await until(() => dialled.length > 0);
    dialled[0]!.emit('answered');
    await done;
    expect(await failure(run())).toMatchObject({ code: 'not_possible' });
    await transfer.end(LEFT);
    expect(dialled).toHaveLength(1);
  });

  it('to a busy party returns the caller to the agent at once while the database does not respond', async () => {
    const { run, dialled } = transferOf({ stored: never });
    const done = failure(run());
    await until(() => dialled.length > 0);
    dialled[0]!.emit('ended', BUSY);
    expect(await Promise.race([done, settled()])).toMatchObject({ code: 'busy' });
  });

  it('that is over hangs up the caller at once while the database does not respond', async () => {
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    const { transfer, run, first, dialled } = transferOf({ stored });
    const done = run();
    await until(() => dialled.length > 0);
    dialled[0]!.emit('answered');
    await done;
    dialled[0]!.emit('ended', LEFT);
    await settled();
    expect(first.hungUpBy).toBe('transferred');
    store();
    await transfer.end(LEFT);
  });

  it('whose legs cannot be bridged hangs up the second leg and keeps the caller', async () => {
    const { transfer, run, first, dialled, places } = transferOf();
    first.canBridge = false;
    const done = failure(run());
    await until(() => dialled.length > 0);
    dialled[0]!.emit('answered');
    expect(await done).toBeInstanceOf(Error);
    await settled();
    expect([dialled[0]!.hungUpBy, first.hungUpBy]).toEqual(['cancelled', undefined]);
    expect(transfer.transfers).toMatchObject([{ status: 'cancelled' }]);
    expect(places.at(-1)).toBe(false);
  });

  it('that is aborted before it is dialled releases its line of the trunk', async () => {
    const { transfer, run, over, places, dialled } = transferOf({ dialIn: 1_500 });
    const done = failure(run());
    await until(() => places.length > 0);
    await settled();
    over.abort();
    expect(await done).toMatchObject({ name: 'AbortError' });
    await settled();
    expect(dialled).toEqual([]);
    expect(transfer.transfers).toMatchObject([{ status: 'cancelled' }]);
    expect(places.at(-1)).toBe(false);
  });

  it.each([
    ['at once', [true]],
    ['after it waited for its turn', [false, true]],
  ])('to a number of the do-not-call list is refused %s', async (_, listed) => {
    const { transfer, run, dialled, places } = transferOf({ listed });
    expect(await failure(run())).toMatchObject({ code: 'do_not_call' });
    await settled();
    expect([dialled, places.at(-1)]).toEqual([[], false]);
    expect(transfer.transfers).toMatchObject([{ status: 'failed', hangup_cause: 'do_not_call' }]);
  });

  it('is tried a bounded number of times in one call', async () => {
    const { transfer, run, dialled } = transferOf({ dialIn: 'full' });
    const codes: string[] = [];
    for (let i = 0; i <= MAX_TRANSFERS; i++) codes.push(((await failure(run())) as ToolFailed).code);
    expect(codes.at(-2)).toBe('concurrency_limit');
    expect(codes.at(-1)).toBe('not_possible');
    expect([transfer.transfers.length, dialled.length]).toEqual([MAX_TRANSFERS, 0]);
  });

  it.each<[string, Answers, number]>([
    ['leads to the host of another trunk', { route: { kind: 'trunk', trunkId: 9 } }, 9],
    ['follows a call without a trunk', { firstTrunkId: null }, 7],
    ['follows a call that another trunk has taken over', { firstTrunkId: 3 }, 7],
  ])('is not a REFER when it %s, although that trunk is set to it', async (_, answers, trunkId) => {
    const { run, first, dialled, claimed } = transferOf({ trunk: { transfer: 'refer' }, ...answers });
    void failure(run());
    await until(() => dialled.length > 0 || first.refersTo !== undefined);
    expect([first.refersTo, claimed]).toEqual([undefined, [trunkId]]);
  });

  it('by REFER ends the call when the remote party has placed its own', async () => {
    const { transfer, run, first, handedOver } = transferOf({ trunk: { transfer: 'refer' } });
    const done = run();
    await until(() => first.refersTo !== undefined);
    await settled();
    first.emit('transfer', { status: 200, final: true });
    await done;
    await settled();
    expect([handedOver(), first.hungUpBy]).toEqual([1, 'transferred']);
    expect(transfer.transfers).toMatchObject([{ method: 'refer', status: 'completed' }]);
  });

  it('by REFER without a SIP dialog is recorded as failed', async () => {
    const { transfer, run, first } = transferOf({ trunk: { transfer: 'refer' } });
    first.refer = () => Promise.reject(new Error('no dialog'));
    expect(await failure(run())).toBeInstanceOf(Error);
    expect(transfer.transfers).toMatchObject([{ method: 'refer', status: 'failed' }]);
    expect(transfer.transfers[0]!.ended_at).not.toBeNull();
  });
});

const CALL_TWO = {
  mode: 'warm',
  destinations: [
    { name: 'sales', to_number: '+15550002201' },
    {
      name: 'support',
      to_number: 'sip:desk@pbx.example',
      extension: ',20,4',
      uui: 'ticket',
      headers: { 'X-Id': 'customer' },
    },
  ],
};

/** A warm transfer whose person has heard the briefing. */
async function briefed(settings: object = { mode: 'warm' }) {
  const story = transferOf({ settings });
  const done = story.run({ summary: 'Ada has a question.' });
  await until(() => story.dialled.length > 0);
  const second = story.dialled[0]!;
  second.emit('answered');
  await until(() => story.briefings.length > 0);
  const briefing = story.briefings[0]!;
  briefing.take({ type: 'person' });
  return { ...story, done, second, briefing };
}

describe('a warm transfer', () => {
  it('plays music to the caller until the person presses 1, then bridges', async () => {
    const { transfer, run: _run, first, second, briefing, done, handedOver } = await briefed();
    expect([first.playing, first.bridged, briefing.facts]).toEqual([['hold-music'], false, 'Ada has a question.']);
    second.emit('dtmf', '1', 100);
    expect([first.playing, first.bridged, briefing.isStopped]).toEqual([[], true, true]);
    await done;
    expect(handedOver()).toBe(1);
    second.emit('ended', LEFT);
    await transfer.end(LEFT);
    expect(transfer.transfers).toMatchObject([{ status: 'completed', mode: 'warm', accepted_by: 'key' }]);
  });

  it('that the person declines returns the caller to the agent', async () => {
    const { transfer, first, second, briefing, done } = await briefed();
    briefing.take({ type: 'voice', accepts: false });
    expect(await failure(done)).toMatchObject({ code: 'declined' });
    expect([second.hungUpBy, first.bridged, first.playing]).toEqual(['agent_hangup', false, []]);
    expect(transfer.transfers).toMatchObject([{ status: 'declined', declined_reason: 'voice' }]);
  });

  it('whose person hangs up right after the acceptance returns the caller to the agent', async () => {
    const { transfer, first, second, done } = await briefed();
    second.emit('dtmf', '1', 100);
    second.emit('ended', LEFT);
    expect(await failure(done)).toMatchObject({ code: 'declined' });
    expect([first.hungUpBy, first.bridged]).toEqual([undefined, false]);
    expect(transfer.transfers).toMatchObject([{ status: 'declined', declined_reason: 'hung_up' }]);
  });

  it('goes on to the second destination with its extension, its headers and its user data', async () => {
    const { transfer, run, dialled, requests, briefings, first } = transferOf({ settings: CALL_TWO });
    const done = run({ summary: 'Ada.' });
    await until(() => dialled.length > 0);
    dialled[0]!.emit('ended', BUSY);
    await until(() => dialled.length > 1);
    expect(first.playing).toEqual(['hold-music']);
    expect(requests[1]).toMatchObject({
      destination: { kind: 'sip', uri: 'sip:desk@pbx.example' },
      headers: { 'X-Id': '17', 'User-to-User': '412037;encoding=hex' },
    });
    dialled[1]!.emit('answered');
    await new Promise<void>((resolve) => {
      const look = setInterval(() => briefings.length > 0 && (clearInterval(look), resolve()), 20);
    });
    expect(dialled[1]!.sent).toEqual(['20', '4']);
    briefings[0]!.take({ type: 'person' });
    dialled[1]!.emit('dtmf', '1', 100);
    expect(await done).toEqual({ transferred: true, mode: 'warm', destination: 'support' });
    dialled[1]!.emit('ended', LEFT);
    await transfer.end(LEFT);
    expect(transfer.transfers).toMatchObject([
      { destination: 'sales', status: 'busy' },
      { destination: 'support', status: 'completed' },
    ]);
  });

  it('to a destination that the model names tries no other one', async () => {
    const { tool, run, dialled, requests } = transferOf({ settings: CALL_TWO });
    expect(tool.parameters).toMatchObject({
      properties: { destination: { enum: ['sales', 'support'] }, summary: { type: 'string' } },
    });
    const done = failure(run({ destination: 'Support', summary: 'Ada.' }));
    await until(() => dialled.length > 0);
    dialled[0]!.emit('ended', BUSY);
    expect(await done).toMatchObject({ code: 'busy' });
    expect(requests).toMatchObject([{ destination: { kind: 'sip' } }]);
  });

  it('tells the agent why no destination took the call', async () => {
    const { run, dialled } = transferOf({ settings: CALL_TWO });
    const done = failure(run({ summary: 'Ada.' }));
    for (const index of [0, 1]) {
      await until(() => dialled.length > index);
      dialled[index]!.emit('ended', BUSY);
    }
    const busy = 'The other party is busy or declined the call.';
    expect(await done).toMatchObject({ code: 'not_transferred', problems: [`sales: ${busy}`, `support: ${busy}`] });
  });

  it.each<[string, (story: Awaited<ReturnType<typeof briefed>>) => unknown]>([
    ['the caller hangs up', ({ transfer }) => transfer.end(LEFT)],
    ['it is cancelled', ({ transfer }) => transfer.cancel()],
    ['the dialer is drained', ({ transfer }) => transfer.end({ ...LEFT, cause: 'drained' })],
    ['the time of the tool is over', ({ over }) => over.abort()],
  ])('ends the second leg when %s in the briefing, and tries no other destination', async (_, end) => {
    const story = await briefed(CALL_TWO);
    await end(story);
    expect(await failure(story.done)).toMatchObject({ code: 'cancelled' });
    await settled();
    expect([story.second.hungUpBy, story.dialled.length, story.briefing.isStopped]).toEqual(['cancelled', 1, true]);
    expect(story.transfer.transfers).toMatchObject([{ status: 'cancelled' }]);
  });

  it('to a conference keeps the agent, and returns the caller to it when the person leaves', async () => {
    const { transfer, first, second, done, left, handedOver } = await briefed({ mode: 'conference' });
    second.emit('dtmf', '1', 100);
    expect(await done).toMatchObject({ transferred: true, mode: 'conference' });
    expect([first.bridged, handedOver(), transfer.isInConference]).toEqual(['conference', 0, true]);
    second.emit('ended', LEFT);
    await settled();
    expect([first.bridged, first.hungUpBy, left]).toEqual([false, undefined, [null]]);
    await transfer.end(LEFT);
  });

  it.each([
    ['later', (done: Promise<unknown>) => done],
    ['as soon as the person has joined', () => undefined],
  ])('to a conference goes on as a bridge when the agent leaves %s', async (_, untilThen) => {
    const { transfer, first, second, done } = await briefed({ mode: 'conference' });
    second.emit('dtmf', '1', 100);
    await untilThen(done);
    transfer.releaseAgent();
    await done;
    expect([first.bridged, transfer.isInConference]).toEqual([true, false]);
    second.emit('ended', LEFT);
    await settled();
    expect(first.hungUpBy).toBe('transferred');
    await transfer.end(LEFT);
  });
});
