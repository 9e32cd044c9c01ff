import { NumbersService } from '@app/accounts';
import { THE_SERVICE } from '@app/audit';
import {
  ACTIVE_STATUSES,
  CallCancellationService,
  CallCreationService,
  CallEventPollerService,
  type CallEventView,
  CallsService,
  CallWordsService,
  parseDestination,
  REQUESTED_DEFAULTS,
} from '@app/calls';
import { type AgentOfAccount, Conflict, InvalidFields } from '@app/common';
import type { DialledAgent, TestedCall, TestedCallListener } from '../tester/tested-call.js';
import type { Scenario } from '@app/agents/scenarios';
import type { TestCallFacts } from '../scenario/tester-line.js';
import type { SessionEnd, SessionEvent } from '@app/voice';
import { Injectable } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';

/** The row of an inbound call exists before its first ringing; more is a busy database. */
const FIND_MS = 10_000;
const FIND_AGAIN_MS = 200;
/** The recording of a call is stored before its end is. */
const END_MS = 30_000;
/** Beyond the limit of the scenario, after which the tester hangs up itself. */
const SPARE_SECONDS = 20;
const MIN_CALL_SECONDS = 30;
const NEWEST = 50;

/** The calls of test callers over SIP: places, finds, follows and ends them. They are calls like all others. */
@Injectable()
export class TestedCallsService {
  constructor(
    readonly numbers: NumbersService,
    readonly creation: CallCreationService,
    readonly cancellation: CallCancellationService,
    readonly calls: CallsService,
    readonly poller: CallEventPollerService,
    readonly words: CallWordsService,
  ) {}

  /** `dials`: how the caller reaches the agent; absent: the service calls. */
  open(agent: AgentOfAccount, scenario: Scenario, dials: DialledAgent | undefined): TestedCall {
    return new ServiceCall(this, agent, scenario, dials);
  }
}

class ServiceCall implements TestedCall {
  private id: string | undefined;
  private stopFollowing: () => void = () => undefined;
  private over: () => void = () => undefined;
  private readonly isOver = new Promise<void>((resolve) => (this.over = resolve));
  private readonly openedAt = new Date();

  constructor(
    private readonly services: TestedCallsService,
    private readonly agent: AgentOfAccount,
    private readonly scenario: Scenario,
    readonly dials: DialledAgent | undefined,
  ) {}

  async place(uri: string): Promise<void> {
    const { accountId, agentId } = this.agent;
    const { variables, knowledge_base_ids, max_seconds: seconds } = this.scenario;
    const { numbers } = await this.services.numbers.list(accountId, { page: 1, perPage: NEWEST });
    const numberId = numbers.find(({ active }) => active)?.id;
    if (numberId === undefined) throw new Error('The account needs an active number, from which the service calls.');
    const destination = parseDestination(uri);
    if (destination.kind === 'wrong') throw new Error(destination.problem);
    const maxCallSeconds = Math.max(MIN_CALL_SECONDS, Math.ceil(seconds) + SPARE_SECONDS);
    try {
      const { calls } = await this.services.creation.create(accountId, {
        destinations: [destination],
        agentId,
        numberId,
        columns: { ...REQUESTED_DEFAULTS, metadata: this.metadata, variables, knowledge_base_ids },
        overrides: { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} },
        agentOverrides: { max_call_seconds: maxCallSeconds },
      });
      this.id = calls[0]!.call_id;
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      throw new Error(`The call cannot be placed: ${error.message}`, { cause: error });
    }
  }

  async find(callerNumber: string): Promise<void> {
    const { accountId } = this.agent;
    const filter = { direction: 'inbound', from: new Date(this.openedAt.getTime() - FIND_MS) } as const;
    const until = Date.now() + FIND_MS;
    for (;;) {
      const { rows } = await this.services.calls.slice(accountId, filter, { perPage: NEWEST });
      this.id = rows.find(({ from_number: from }) => from === callerNumber)?.id;
      if (this.id !== undefined) return this.services.calls.addMetadata(accountId, this.id, this.metadata);
      if (Date.now() > until) throw new Error('The call was answered, but not by an agent of this account.');
      await wait(FIND_AGAIN_MS);
    }
  }

  follow(listener: TestedCallListener): void {
    const { accountId } = this.agent;
    const callId = this.id!;
    let end: SessionEnd | undefined;
    const take = (event: CallEventView): boolean => {
      const noted = sessionEventOf(event);
      if (noted) listener.event(noted);
      if (noted?.type === 'ended') {
        end = { endedBy: partyOf(noted.ended_by), cause: noted.cause };
        listener.ended(end, noted.cause);
      }
      const cause = event.type === 'status' ? event.data.hangup_cause : undefined;
      if (typeof cause === 'string' && !end) listener.ended(undefined, cause);
      return true;
    };
    const watching = this.services.poller.watch({ accountId, callId, after: 0, take, end: () => this.over() });
    const unfollow = this.services.words.follow({
      accountId,
      callId,
      words: (turns) => turns.forEach((turn) => listener.words({ ...turn, role: roleOf(turn.role) })),
    });
    this.stopFollowing = () => {
      watching.stop();
      unfollow();
    };
  }

  async end(): Promise<TestCallFacts | undefined> {
    if (this.id === undefined) return undefined;
    const { accountId } = this.agent;
    const { calls, cancellation } = this.services;
    const { status } = await calls.find(accountId, this.id);
    if (status === 'pending' || status === 'ringing') {
      await cancellation.cancel({ accountId, actor: THE_SERVICE }, this.id).catch((error: unknown) => {
        // It ended meanwhile.
        if (!(error instanceof Conflict)) throw error;
      });
    }
    const late = new AbortController();
    await Promise.race([this.isOver, wait(END_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    this.stopFollowing();
    const row = await calls.find(accountId, this.id);
    if (ACTIVE_STATUSES.some((active) => active === row.status))
      await cancellation.cancel({ accountId, actor: THE_SERVICE }, this.id);
    return {
      id: row.id,
      status: row.status,
      hangup_cause: row.hangup_cause,
      recorded: row.recording_key !== null,
      cost_micros: Number(row.cost_micros ?? 0),
    };
  }

  /** Marks the call: analytics and receivers of webhooks can tell it from calls of people. */
  private get metadata(): Record<string, unknown> {
    return { ...this.scenario.metadata, test_run: this.scenario.name };
  }
}

/** The session calls the remote party `callee`, in every direction. */
const roleOf = (role: unknown): 'agent' | 'callee' => (role === 'agent' ? 'agent' : 'callee');

/** Of the end of a conversation, in the same words. */
const partyOf = (endedBy: string): SessionEnd['endedBy'] =>
  endedBy === 'agent' ? 'agent' : endedBy === 'callee' || endedBy === 'caller' ? 'callee' : 'system';

/** An event of the conversation, as the session reported it; undefined: an event of the line. */
function sessionEventOf({ type, data }: CallEventView): SessionEvent | undefined {
  if (typeof data.at_ms !== 'number') return undefined;
  const event: Record<string, unknown> = { type, ...data };
  if ('role' in event) event.role = roleOf(event.role);
  return event as SessionEvent;
}
