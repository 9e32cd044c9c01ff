import { Encryption, KeyedSemaphore } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CallClaimsRepository } from './call-claims.repository.js';
import {
  type InboundAgent,
  type InboundNumber,
  type InboundRoom,
  InboundCallsRepository,
} from './inbound-calls.repository.js';
import type { CallEnding } from '../progress/call-end.repository.js';
import type { ChosenAgent } from '../progress/call-progress.repository.js';
import { CallProgressService } from '../progress/call-progress.service.js';
import type { CallRow } from '../call.entity.js';
import { settingsByVersion, versionFor } from '../domain/agent-version.js';
import type { CallSettings, OwnedCall } from '../domain/call.js';
import { type ClaimPlan, planClaims, type PlannedCall } from '../domain/claim-plan.js';
import { inboundRoute, mayQueue } from '../domain/inbound-front.js';
import { declaredValues } from '../domain/inbound-headers.js';
import { type CallerIdentity, callerNumber, dialledNumbers } from '../domain/destination.js';
import { WaitingCallersRepository } from './waiting-callers.repository.js';
import { WebClaimsRepository, type WebRoom } from './web-claims.repository.js';

const HORIZON_MS = 500;
/** The longest wait for the trunk of a transfer: the user is on the line. */
const MAX_TRANSFER_WAIT_MS = 2_000;

/** Incoming calls of one account, over all of its trunks, that this process decides or lets wait. */
const MAX_ARRIVING_PER_ACCOUNT = 16;
/** Transactions of one account that may wait for its lock: each holds a connection that other accounts need. */
const MAX_LOCKING_PER_ACCOUNT = 2;

/** The called number of an incoming call, with its account and trunk. */
export type CalledNumber = InboundNumber;

/** A call that came in over a known trunk. */
interface IncomingCall {
  id: string;
  /** The dialer that received it. */
  owner: string;
  number: CalledNumber;
  /** Undefined: the caller is anonymous. */
  caller: CallerIdentity | undefined;
  /** What the caller wrote into the headers that the trunk keeps; absent: nothing. */
  headerValues?: Record<string, string>;
  /** `traceparent` of the span of the INVITE; absent when tracing is off. */
  traceParent?: string;
}

type IncomingResult =
  | { kind: 'taken' }
  /** Too many incoming calls of the account wait for a decision. Nothing was written. */
  | { kind: 'crowded' }
  /** Stored as a refused call. */
  | { kind: 'refused'; call: CallRow };

/** `gone`: there is no such call, it is connected, or it has ended. */
type WebConnectionResult = IncomingResult | { kind: 'gone' };

/** Decides which calls start now: queued calls, incoming calls and second legs, within the limits of accounts and trunks. */
@Injectable()
export class CallClaimsService {
  private readonly arriving = new KeyedSemaphore<number>(MAX_ARRIVING_PER_ACCOUNT);
  private readonly locking = new KeyedSemaphore<number>(MAX_LOCKING_PER_ACCOUNT);

  constructor(
    private readonly database: Database,
    private readonly claims: CallClaimsRepository,
    private readonly inbound: InboundCallsRepository,
    private readonly callers: WaitingCallersRepository,
    private readonly webCalls: WebClaimsRepository,
    private readonly progress: CallProgressService,
    private readonly encryption: Encryption,
  ) {}

  /**
   * Claims queued calls for a dialer, within the concurrency and the calls per second of each account and trunk. No other process dials
   * the returned calls.
   */
  async claim(dialer: string, capacity: number): Promise<PlannedCall[]> {
    const claimed: PlannedCall[] = [];
    for (const accountId of shuffle(await this.claims.waitingAccounts())) {
      if (claimed.length >= capacity) break;
      const room = capacity - claimed.length;
      claimed.push(...(await this.database.transaction((tx) => this.claimOfAccount(accountId, dialer, room, tx))));
    }
    return claimed;
  }

  /**
   * @param trunkIds the possible trunks of an incoming call: several when accounts share a carrier
   * @param dialled the dialled numbers as the carrier sent them, the most likely first
   * @returns undefined when no account of the trunks has the number with an active agent
   */
  async calledNumber(trunkIds: readonly number[], dialled: readonly string[]): Promise<CalledNumber | undefined> {
    const numbers = dialledNumbers(dialled);
    return numbers.length === 0 ? undefined : this.inbound.inboundNumber(trunkIds, numbers);
  }

  /**
   * Stores an incoming call with its first event and its first webhook, as a call of `owner`. A call that exceeds the limits of the
   * account or the trunk is stored as ended: the caller heard the busy tone.
   */
  async receive(incoming: IncomingCall): Promise<IncomingResult> {
    const { account_id: accountId } = incoming.number;
    const arrival = this.arriving.tryAcquire(accountId);
    if (!arrival) return { kind: 'crowded' };
    const turn = await this.locking.acquire(accountId);
    try {
      return await this.decide(incoming);
    } finally {
      turn();
      arrival();
    }
  }

  /**
   * Makes a web call, whose page has connected, one of `owner`. A call that exceeds the limits of the account or of its key ends: the page
   * is told.
   */
  async connectWeb(call: OwnedCall): Promise<WebConnectionResult> {
    const accountId = await this.webCalls.accountOf(call.id);
    if (accountId === undefined) return { kind: 'gone' };
    const arrival = this.arriving.tryAcquire(accountId);
    if (!arrival) return { kind: 'crowded' };
    const turn = await this.locking.acquire(accountId);
    try {
      return await this.decideWeb(call, accountId);
    } finally {
      turn();
      arrival();
    }
  }

  private decideWeb(call: OwnedCall, accountId: number): Promise<WebConnectionResult> {
    return this.database.transaction(async (tx) => {
      await this.claims.lock(accountId, tx);
      const room = await this.webCalls.room(call.id, tx);
      const row = room && (await this.webCalls.claim(call, tx));
      if (!row) return { kind: 'gone' };
      const refusal = refusalOfWeb(room);
      if (!refusal) return { kind: 'taken' };
      const ended = await this.progress.end(row, { ...refusal, at: new Date() }, tx);
      return { kind: 'refused', call: ended ?? row };
    });
  }

  private decide(incoming: IncomingCall): Promise<IncomingResult> {
    const { number } = incoming;
    return this.database.transaction(async (tx) => {
      await this.claims.lock(number.account_id, tx);
      const { refusal, agent, front } = await this.admit(number, tx);
      const row = await this.insert(incoming, { agent: agent ?? number, front }, tx);
      if (!refusal) return { kind: 'taken' };
      const ended = await this.progress.end(row, { ...refusal, at: row.created_at }, tx);
      return { kind: 'refused', call: ended ?? row };
    });
  }

  /** Undefined: the account has no such active agent. */
  async chosenAgent(call: { id: string; accountId: number }, agentId: number): Promise<ChosenAgent | undefined> {
    const agent = await this.inbound.activeAgent(call.accountId, agentId);
    if (!agent) return undefined;
    const { version, settings } = settingsByVersion(agent, NO_OVERRIDES, this.encryption)(call.id);
    // The settings of a version have its declarations.
    const { variables } = { variables: agent.variables, ...versionFor(agent, call.id).settings };
    return { agentId, agentName: agent.agent_name, version, settings, variables };
  }

  /** What an inbound call gets: an agent, a message, a place in the queue, or a refusal. */
  private async admit(number: InboundNumber, tx: Sql): Promise<Admitted> {
    const route = inboundRoute(number, new Date());
    if (route.kind === 'reject') return { refusal: CLOSED };
    const agent =
      route.kind === 'closed_agent' ? await this.inbound.activeAgent(number.account_id, route.agentId, tx) : undefined;
    if (route.kind === 'closed_agent' && !agent) return { refusal: CLOSED };
    const room = await this.inbound.inboundRoom(number, tx);
    const refusal = room && refusalOf(room);
    if (route.kind === 'message')
      return { refusal, front: { closed: { message: route.message, language: route.language } } };
    if (refusal?.cause !== 'concurrency_limit') return { refusal, agent };
    const waiting = await this.callers.countOfNumber(number.account_id, number.number_id, tx);
    return mayQueue(number.queue, waiting) ? { agent, front: { queue: number.queue } } : { refusal, agent };
  }

  /**
   * Claims capacity for the second leg of a transfer, within the concurrency and calls per second of the trunk. Returns the ms until the
   * leg may be dialled; undefined: the trunk is full, or the call belongs to another dialer.
   */
  claimTransfer(call: OwnedCall, trunk: { id: number; accountId: number }): Promise<number | undefined> {
    return this.claimLeg('transfer', call, trunk);
  }

  /** The same for the first leg of a call that is redirected (3xx) to another trunk of the account, whose call it becomes. */
  claimRedirect(call: OwnedCall, trunk: { id: number; accountId: number }): Promise<number | undefined> {
    return this.claimLeg('redirect', call, trunk);
  }

  private claimLeg(
    leg: 'transfer' | 'redirect',
    call: OwnedCall,
    trunk: { id: number; accountId: number },
  ): Promise<number | undefined> {
    return this.database.transaction(async (tx) => {
      await this.claims.lock(trunk.accountId, tx);
      const room = await this.claims.transferRoom(trunk, tx);
      if (!room?.free || room.wait_ms > MAX_TRANSFER_WAIT_MS) return undefined;
      if (!(await this.claims.claimLeg(leg, call, trunk.id, tx))) return undefined;
      if (room.rate !== null) await this.claims.paceTrunks([{ id: trunk.id, ms: room.wait_ms + 1000 / room.rate }], tx);
      return room.wait_ms;
    });
  }

  /**
   * A new slot for a claimed call that has missed its own: the INVITEs of an account and of a trunk keep their distance. Returns the ms
   * until the INVITE.
   */
  nextSlot({ accountId, trunkId }: { accountId: number; trunkId: number | null }): Promise<number> {
    return this.database.transaction(async (tx) => {
      await this.claims.lock(accountId, tx);
      const account = await this.claims.accountGate(accountId, tx);
      const trunk = trunkId === null ? undefined : (await this.claims.trunkGates(accountId, tx)).get(trunkId);
      const wait = Math.max(0, account?.nextAt ?? 0, trunk?.nextAt ?? 0);
      if (account?.rate !== undefined) await this.claims.paceAccount(accountId, wait + 1000 / account.rate, tx);
      if (trunkId !== null && trunk?.rate !== undefined)
        await this.claims.paceTrunks([{ id: trunkId, ms: wait + 1000 / trunk.rate }], tx);
      return wait;
    });
  }

  private async claimOfAccount(accountId: number, dialer: string, capacity: number, tx: Sql): Promise<PlannedCall[]> {
    if (!(await this.claims.tryLock(accountId, tx))) return [];
    const account = await this.claims.accountGate(accountId, tx);
    if (!account || account.free < 1) return [];
    const trunks = await this.claims.trunkGates(accountId, tx);
    const closed = [...trunks].filter(([, gate]) => gate.free < 1 || gate.nextAt > HORIZON_MS).map(([id]) => id);
    const waiting = await this.claims.queue(accountId, closed, tx);
    const plan = planClaims(waiting, account, trunks, { capacity, horizonMs: HORIZON_MS });
    if (plan.calls.length > 0) await this.store(accountId, dialer, plan, tx);
    return plan.calls;
  }

  private async store(accountId: number, dialer: string, plan: ClaimPlan, tx: Sql): Promise<void> {
    const ids = plan.calls.map((call) => call.id);
    await this.claims.claim(dialer, ids, tx);
    await this.claims.paceAccount(accountId, plan.account.nextAt, tx);
    const paced = [...plan.trunks].filter(([, gate]) => gate.rate !== undefined && Number.isFinite(gate.nextAt));
    if (paced.length > 0)
      await this.claims.paceTrunks(
        paced.map(([id, gate]) => ({ id, ms: gate.nextAt })),
        tx,
      );
  }

  private async insert(
    { id, owner, number, caller, headerValues = {}, traceParent }: IncomingCall,
    { agent, front }: { agent: InboundAgent; front?: Front },
    tx: Sql,
  ): Promise<CallRow> {
    const { version, settings } = settingsByVersion(agent, NO_OVERRIDES, this.encryption)(id);
    const stored = JSON.stringify({ ...settings, ...front });
    const isQueued = front?.queue !== undefined;
    const written = Object.keys(headerValues).length > 0;
    // The settings of a version have its declarations.
    const { variables: declared } = { variables: agent.variables, ...versionFor(agent, id).settings };
    const call = {
      ...{ id, owner, from: callerNumber(caller), settings: stored, version, traceParent, isQueued },
      metadata: written ? { sip: headerValues } : null,
      variables: written ? declaredValues(headerValues, declared) : null,
    };
    const { agent_id, agent_name } = agent;
    const row = await this.inbound.insertInbound(call, { ...number, agent_id, agent_name }, tx);
    await this.progress.announceStatus(row, row.created_at, tx);
    return row;
  }
}

type Refusal = Pick<CallEnding, 'change' | 'cause' | 'endedBy' | 'sipCode'>;
type Front = Pick<CallSettings, 'closed' | 'queue'>;

/** `agent` absent: that of the number. `refusal`: the call is stored and ends. */
interface Admitted {
  refusal?: Refusal;
  agent?: InboundAgent;
  front?: Front;
}

const NO_OVERRIDES = { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} };

const CLOSED: Refusal = { change: 'failed', cause: 'closed', endedBy: 'system', sipCode: 480 };

function refusalOf(room: InboundRoom): Refusal | undefined {
  if (!room.funded) return { change: 'failed', cause: 'spend_limit', endedBy: 'system', sipCode: 480 };
  if (room.account_free && room.trunk_free) return undefined;
  return { change: 'busy', cause: 'concurrency_limit', endedBy: 'system', sipCode: 486 };
}

/** Nothing of SIP was sent. */
function refusalOfWeb({ account_free, key_free, funded }: WebRoom): Refusal | undefined {
  if (!funded) return { change: 'failed', cause: 'spend_limit', endedBy: 'system' };
  if (account_free && key_free) return undefined;
  return { change: 'busy', cause: 'concurrency_limit', endedBy: 'system' };
}

/** In a random order, so that under load no account is always the first. */
function shuffle<T>(items: T[]): T[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
