import { type SipRoute, SipRoutesService } from '@app/accounts';
import {
  CallClaimsService,
  type CallEnding,
  CallEventsService,
  CallProgressService,
  DialChecksService,
  SpendReservationsService,
  type ChosenAgent,
  type DialDecision,
  type EndedCall,
  type NewCallEvent,
  type OwnedCall,
  type PreCallResult,
  type TransferContext,
  type TransferRecord,
} from '@app/calls';
import type { Log } from '@app/common';
import { WakeUpsService } from '@app/queue';
import { LOG } from '@app/common/settings';
import type { AwaitedDelivery } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallContext, CallContextService } from './call-context.service.js';
import type { PermittedLeg } from '../trunks/leg-permits.js';

/** The cost of a planned call, to be reserved from the daily spend of its account. */
export type SpendPlan = Parameters<SpendReservationsService['reserve']>[1];
type RecordedPreCall = [result: PreCallResult, delivery: AwaitedDelivery];

/** Reads and writes the rows of live calls. Writes are repeated while the database is unavailable, see `persist`. */
@Injectable()
export class CallRecordsService {
  constructor(
    private readonly contexts: CallContextService,
    private readonly progress: CallProgressService,
    private readonly checks: DialChecksService,
    private readonly spend: SpendReservationsService,
    private readonly claims: CallClaimsService,
    private readonly events: CallEventsService,
    private readonly routes: SipRoutesService,
    private readonly wakeUps: WakeUpsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Undefined: the call belongs to another dialer or has ended. */
  contextOfQueued(call: OwnedCall): Promise<CallContext | undefined> {
    return persist(() => this.contexts.find(call), this.log);
  }

  /** The same with one attempt: the caller is waiting. */
  contextOfIncoming(call: OwnedCall): Promise<CallContext | undefined> {
    return this.contexts.find(call);
  }

  /** The seconds that the budget pays for; undefined: other calls must end first. */
  reserveSpend(call: OwnedCall, plan: SpendPlan): Promise<number | undefined> {
    return persist(() => this.spend.reserve(call, plan), this.log);
  }

  /** Replaces the reservation of a live call. False: the budget does not pay for the `planned` call; the `present` reservation stays. */
  async reserveInstead(call: OwnedCall, present: SpendPlan, planned: SpendPlan): Promise<boolean> {
    if ((await this.reserveSpend(call, planned)) === planned.longestSeconds) return true;
    await this.reserveSpend(call, present);
    return false;
  }

  beginDial(call: OwnedCall, context: CallContext): Promise<DialDecision> {
    return persist(() => this.checks.beginDial(call, context), this.log);
  }

  /** Whether the do-not-call list forbids a further leg. One attempt only: the caller is waiting. */
  isListed(accountId: number, destination: string): Promise<boolean> {
    return this.checks.isListed(accountId, destination);
  }

  /** The route of a queued call without a trunk. Waits for DNS. */
  routeOfQueued(context: CallContext): Promise<SipRoute> {
    return persist(() => this.routeOf(context, context.to_number), this.log);
  }

  /** The route of a further leg of a call over `order.trunk`, with one attempt: the caller is waiting. Waits for DNS. */
  routeOf(order: PermittedLeg, destination: string): Promise<SipRoute> {
    const { account_id: accountId, destinations_allow: allow, destinations_deny: deny, trunk_id: id, trunk } = order;
    return this.routes.routeForDialling(accountId, { allow, deny }, destination, { id, settings: trunk });
  }

  /** Returns the call to the queue of a trunk. False: it was cancelled or belongs to another dialer. */
  async reroute(call: OwnedCall, trunkId: number): Promise<boolean> {
    const isQueued = await persist(() => this.progress.reroute(call, trunkId), this.log);
    if (isQueued) this.wakeUps.wake('dial');
    return isQueued;
  }

  /** Returns the call to the queue until a time. False: it was cancelled or belongs to another dialer. */
  postpone(call: OwnedCall, until: Date): Promise<boolean> {
    return persist(() => this.progress.postpone(call, until), this.log);
  }

  /** The agent that a pre-call webhook chose; undefined: the account has no such active agent. One attempt only: the caller is waiting. */
  chosenAgent({ id, account_id: accountId }: CallContext, agentId: number): Promise<ChosenAgent | undefined> {
    return this.claims.chosenAgent({ id, accountId }, agentId);
  }

  /** False: the call belongs to another dialer or has ended. */
  recordPreCall(call: OwnedCall, ...recorded: RecordedPreCall): Promise<boolean> {
    return persist(() => this.progress.recordPreCall(call, ...recorded), this.log);
  }

  /** Milliseconds until the call may be dialled. */
  nextSlot(call: { accountId: number; trunkId: number | null }): Promise<number> {
    return persist(() => this.claims.nextSlot(call), this.log);
  }

  async recordProgress(call: OwnedCall, change: 'ringing' | 'answered', at: Date): Promise<void> {
    await persist(() => this.progress.record(call, change, at), this.log);
    this.wakeUps.wake('webhooks');
  }

  /** false: the call belongs to another dialer or has ended. */
  appendEvents(call: OwnedCall, events: readonly NewCallEvent[]): Promise<boolean> {
    return persist(() => this.events.append(call, events), this.log);
  }

  /** Undefined: another process ended the call first. */
  async finish(call: OwnedCall, ending: CallEnding): Promise<EndedCall | undefined> {
    const row = await persist(() => this.progress.finish(call, ending), this.log);
    this.wakeUps.wake('webhooks');
    if (row?.has_analysis) this.wakeUps.wake('analyses');
    if (row && row.campaign_id !== null) this.wakeUps.wake('campaigns');
    return row;
  }

  /** Undefined: the call is over. One attempt only: the caller is waiting. */
  transferContext(
    call: OwnedCall,
    callerIdNumberId: number | undefined,
    trunkId?: number,
  ): Promise<TransferContext | undefined> {
    return this.progress.transferContext(call, callerIdNumberId, trunkId);
  }

  /** Milliseconds until the second leg may be dialled; undefined: all lines of the trunk are taken. */
  claimTransfer(call: OwnedCall, trunk: { id: number; accountId: number }): Promise<number | undefined> {
    return this.claims.claimTransfer(call, trunk);
  }

  /** `isLive`: the last transfer occupies a line of the trunk. */
  recordTransfers(call: OwnedCall, transfers: readonly TransferRecord[], isLive: boolean): Promise<void> {
    return persist(() => this.progress.recordTransfers(call, transfers, isLive), this.log);
  }
}

const WAITS_MS = [100, 200, 500, 1_000, 2_000, 4_000, 8_000, 14_000];

/** SQLSTATE classes that a retry cannot solve: data exceptions, constraints, wrong statements. */
const PERMANENT = /^(22|23|42)/;

/**
 * Retries a write while the database restarts: live calls go on meanwhile. Gives up and throws after about half a minute, when the
 * call's lease has expired and a sweeper has ended the call, and at once when the database rejects the statement itself.
 */
export async function persist<T>(write: () => Promise<T>, log: Log): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await write();
    } catch (err) {
      if (PERMANENT.test(String((err as { code?: unknown }).code))) throw err;
      log.warn({ err }, 'a change of a call could not be written and is retried');
      await delay(wait);
    }
  }
  return write();
}
