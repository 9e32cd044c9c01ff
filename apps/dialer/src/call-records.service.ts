import {
  CallClaimsService,
  type CallEnding,
  CallEventsService,
  CallProgressService,
  type CallRow,
  type NewCallEvent,
  type OwnedCall,
  type TransferContext,
  type TransferRecord,
} from '@app/calls';
import type { Log } from '@app/common';
import { WakeUps } from '@app/queue';
import { LOG } from '@app/settings';
import { Inject, Injectable } from '@nestjs/common';
import { type CallContext, CallContextService } from './call-context.service.js';
import { persist } from './persist.js';

type SpendPlan = Parameters<CallProgressService['reserveSpend']>[1];

/** Reads and writes the rows of live calls. A write is repeated while the database cannot be reached, see `persist`. */
@Injectable()
export class CallRecordsService {
  constructor(
    private readonly contexts: CallContextService,
    private readonly progress: CallProgressService,
    private readonly claims: CallClaimsService,
    private readonly events: CallEventsService,
    private readonly wakeUps: WakeUps,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Undefined: the call belongs to another dialer or has ended. */
  contextOfQueued(call: OwnedCall): Promise<CallContext | undefined> {
    return persist(() => this.contexts.find(call), this.log);
  }

  /** The same in one try: the caller is waiting. */
  contextOfIncoming(call: OwnedCall): Promise<CallContext | undefined> {
    return this.contexts.find(call);
  }

  /** Seconds that are paid for; undefined: other calls have to end first. */
  reserveSpend(call: OwnedCall, plan: SpendPlan): Promise<number | undefined> {
    return persist(() => this.progress.reserveSpend(call, plan), this.log);
  }

  beginDial(call: OwnedCall): Promise<boolean> {
    return persist(() => this.progress.beginDial(call), this.log);
  }

  async recordProgress(call: OwnedCall, change: 'ringing' | 'answered', at: Date): Promise<void> {
    await persist(() => this.progress.record(call, change, at), this.log);
    this.wakeUps.wake('webhooks');
  }

  /** false: the call belongs to another dialer or has ended. */
  appendEvents(call: OwnedCall, events: readonly NewCallEvent[]): Promise<boolean> {
    return persist(() => this.events.append(call, events), this.log);
  }

  /** Undefined: another process has ended the call already. */
  async finish(call: OwnedCall, ending: CallEnding): Promise<CallRow | undefined> {
    const row = await persist(() => this.progress.finish(call, ending), this.log);
    this.wakeUps.wake('webhooks');
    return row;
  }

  /** Undefined: the call is over. In one try: the caller is waiting. */
  transferContext(call: OwnedCall, callerIdNumberId: number | undefined): Promise<TransferContext | undefined> {
    return this.progress.transferContext(call, callerIdNumberId);
  }

  /** Milliseconds until the second leg may be dialled; undefined: the trunk has no place for it. */
  claimTransfer(call: OwnedCall, trunk: { id: number; accountId: number }): Promise<number | undefined> {
    return this.claims.claimTransfer(call, trunk);
  }

  /** `isLive`: the last transfer keeps its place on the trunk. */
  recordTransfers(call: OwnedCall, transfers: readonly TransferRecord[], isLive: boolean): Promise<void> {
    return persist(() => this.progress.recordTransfers(call, transfers, isLive), this.log);
  }
}
