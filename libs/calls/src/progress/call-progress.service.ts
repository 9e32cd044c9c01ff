import { AgentLookupsService } from '@app/agents';
import { Database, pgText, type Sql } from '@app/database';
import { type AwaitedDelivery, deliveryRecord, WebhookOutboxRepository } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { CallContextRepository, type StoredCallContext, type TransferContext } from './call-context.repository.js';
import { CallEventsRepository } from '../events/call-events.repository.js';
import { CallLinksService } from '../recordings/call-links.service.js';
import { type CallEnding, CallEndRepository, type EndedCall } from './call-end.repository.js';
import { CallProgressRepository, type PreCallResult } from './call-progress.repository.js';
import type { CallRow, CallWithFlow } from '../call.entity.js';
import type { OwnedCall, TransferRecord } from '../domain/call.js';
import { type CallChange, nextState } from '../domain/call-state.js';
import { conversationRecord, postCallEvent, statusEvent } from '../presenters/call.presenter.js';

/** What a webhook after the end of a call says. */
interface LaterReport {
  type: 'call-analysis' | 'tool-result';
  event: 'analysed' | 'analysis-failed' | 'tool-completed' | 'tool-failed';
  at: Date;
  data: Record<string, unknown>;
}

/** Changes of a live call. Row, event and webhook of a change are written in one transaction. */
@Injectable()
export class CallProgressService {
  constructor(
    private readonly database: Database,
    private readonly calls: CallProgressRepository,
    private readonly events: CallEventsRepository,
    private readonly contexts: CallContextRepository,
    private readonly ends: CallEndRepository,
    private readonly agents: AgentLookupsService,
    private readonly links: CallLinksService,
    private readonly outbox: WebhookOutboxRepository,
  ) {}

  /** The claimed call with its agent, trunk and limits. Undefined: the call belongs to another dialer or has ended. */
  context(call: OwnedCall): Promise<StoredCallContext | undefined> {
    return this.contexts.find(call);
  }

  /** The context of the second leg of a live call, see CallContextRepository. Undefined: the call belongs to another dialer or has ended. */
  transferContext(
    call: OwnedCall,
    callerIdNumberId: number | undefined,
    trunkId?: number,
  ): Promise<TransferContext | undefined> {
    return this.contexts.findForTransfer(call, callerIdNumberId, trunkId);
  }

  /**
   * Returns a claimed call that is not dialled yet to the queue, from which it is claimed again at `until`. False: the call was cancelled or
   * belongs to another dialer; nothing was written.
   */
  postpone(call: OwnedCall, until: Date): Promise<boolean> {
    return this.calls.postpone(call, until);
  }

  /**
   * Returns a claimed call to a SIP URI that is not dialled yet to the queue of the trunk that leads to its host. False: the call was
   * cancelled or belongs to another dialer; nothing was written.
   */
  reroute(call: OwnedCall, trunkId: number): Promise<boolean> {
    return this.calls.reroute(call, trunkId);
  }

  /**
   * Stores the result of the pre-call webhook with its event and its delivery, once per call. False: the call belongs to another dialer
   * or has ended, or the agent that the webhook chose was deleted; nothing was written.
   */
  recordPreCall(call: OwnedCall, result: PreCallResult, delivery: AwaitedDelivery): Promise<boolean> {
    const { outcome, reason = null } = result.outcome;
    const { chosen } = result;
    const data = { outcome, reason, delivery_id: delivery.id, ...(chosen && { agent_id: chosen.agentId }) };
    return this.database.transaction(async (tx) => {
      if (chosen && !(await this.agents.keep(chosen.agentId, tx))) return false;
      if (!(await this.calls.storePreCall(call, result, tx))) return false;
      await this.events.append(call, [{ at: new Date(), type: 'pre_call_webhook', data }], tx);
      await this.outbox.logAwaited(delivery, tx);
      return true;
    });
  }

  /** Ringing or answered. Undefined: the call belongs to another dialer, or the change does not apply. */
  record(call: OwnedCall, change: Extract<CallChange, 'ringing' | 'answered'>, at: Date): Promise<CallRow | undefined> {
    return this.database.transaction(async (tx) => {
      const before = await this.calls.lockOwned(call, tx);
      const status = before && nextState(before.status, change);
      if (!status) return undefined;
      const row = await this.calls.applyStatus(call.id, status, at, tx);
      if (row) await this.announceStatus(row, at, tx);
      return row;
    });
  }

  /**
   * Ends a live call: final state, bill, last status webhook and post-call webhook.
   * Undefined: the call belongs to another dialer or has ended already; nothing was written.
   */
  finish(call: OwnedCall, ending: CallEnding): Promise<EndedCall | undefined> {
    return this.database.transaction(async (tx) => {
      const before = await this.calls.lockOwned(call, tx);
      return before && this.end(before, ending, tx);
    });
  }

  /** `finish` for a row that the caller has locked. */
  async end(before: CallRow, ending: CallEnding, tx: Sql): Promise<EndedCall | undefined> {
    const status = nextState(before.status, ending.change);
    if (!status) return undefined;
    const costs = status === 'completed' ? ending.costs : undefined;
    const row = await this.ends.end(before.id, status, { ...ending, costs }, tx);
    if (!row) return undefined;
    await this.announceStatus(row, row.ended_at ?? ending.at, tx);
    await this.announceEnd(row, { ...ending, costs }, tx);
    return row;
  }

  /** `isLive`: the last transfer is still connected and occupies the trunk. */
  recordTransfers(call: OwnedCall, transfers: readonly TransferRecord[], isLive: boolean): Promise<void> {
    return this.calls.recordTransfers(call, transfers, isLive);
  }

  /** Writes the status webhook of a changed row, if the call has a target for it. */
  async announceStatus(row: CallWithFlow, at: Date, tx: Sql): Promise<void> {
    const target = row.settings.call_status_webhook;
    if (target) await this.outbox.write([deliveryRecord(statusEvent(row, target, at))], tx);
  }

  /** Writes a webhook after the end of a call to its post-call target. False: the call has none, or was deleted. */
  async announceLater(call: CallRow, { type, event, at, data }: LaterReport, tx: Sql): Promise<boolean> {
    const target = call.settings.post_call_webhook;
    const sequence = target && (await this.calls.nextWebhookSequence(call.id, tx));
    if (!target || sequence === undefined) return false;
    // A GET has no body, and an analysis or a result does not fit into a query.
    const method = target.method === 'GET' ? 'POST' : target.method;
    const own = { accountId: call.account_id, callId: call.id, type, sequence };
    const record = deliveryRecord({ ...own, event, createdAt: at, target: { ...target, method }, data });
    await this.outbox.write([record], tx);
    return true;
  }

  private async announceEnd(row: CallWithFlow, ending: CallEnding, tx: Sql): Promise<void> {
    const target = row.settings.post_call_webhook;
    if (!target) return;
    const sequence = (await this.calls.nextWebhookSequence(row.id, tx)) ?? row.webhook_seq + 1;
    const results = {
      summary: ending.summary === undefined ? null : pgText(ending.summary),
      costs: ending.costs?.lines ?? [],
      mediaQuality: ending.mediaQuality ?? null,
      measures: ending.measures ?? null,
      ...conversationRecord(await this.events.conversation(row.id, tx)),
    };
    await this.outbox.write([deliveryRecord(postCallEvent(row, results, this.links, { target, sequence }))], tx);
  }
}
