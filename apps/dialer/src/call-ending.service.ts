import { PRICE_BOOK } from '@app/agents';
import { StorageQuotaService } from '@app/accounts';
import { type CallEndedBy, type CallEnding, mediaQuality, RecordingsService } from '@app/calls';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG } from '@app/settings';
import { Storage, StorageUnavailable } from '@app/storage';
import type { LegEnd } from '@app/telephony';
import type { PriceBook } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentOnCall } from './agent-on-call.js';
import { type Bill, billOf, type ChargedLeg, chargedLegs, microsPerSecond, toolUsage } from './bill.js';
import type { CallContext } from './call-context.service.js';

/** Between tries of a storage that is away for a moment; no try begins later than all of them together. */
const STORAGE_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** The end of a call: its cost, its recording, and what its record says. */
@Injectable()
export class CallEndingService {
  constructor(
    private readonly quota: StorageQuotaService,
    private readonly recordings: RecordingsService,
    private readonly storage: Storage,
    @Inject(PRICE_BOOK) private readonly prices: PriceBook,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** What a call can cost by its duration, in micro-USD per second. */
  microsPerSecond(context: CallContext): number {
    return microsPerSecond(this.prices, context);
  }

  /** What the end of a leg means for the record of the call. */
  endingOf(context: CallContext, end: LegEnd, agent: AgentOnCall, times: { answeredAt?: Date; at: Date }): CallEnding {
    const connectedMs = times.answeredAt ? times.at.getTime() - times.answeredAt.getTime() : 0;
    const legs = chargedLegs(context, connectedMs, agent.transfer.transfers);
    return {
      change: end.status,
      at: times.at,
      cause: causeOf(end, agent),
      // The agent calls the remote party the callee, in both directions.
      endedBy:
        agent.end?.cause === end.cause && agent.end.endedBy !== 'callee' ? agent.end.endedBy : enderOf(context, end),
      sipCode: end.sipCode,
      costs: end.status === 'completed' ? this.pricedBill(context, legs, agent) : undefined,
      summary: times.answeredAt ? agent.summary : undefined,
      mediaQuality: times.answeredAt ? mediaQuality(end.stats) : undefined,
    };
  }

  private pricedBill(context: CallContext, legs: ChargedLeg[], agent: AgentOnCall): Bill {
    const { prices, log } = this;
    const bill = billOf(prices, legs, [...agent.usage, ...toolUsage(prices, agent.toolCalls)]);
    if (bill.unpriced.length > 0)
      log.warn({ call_id: context.id, usage: bill.unpriced }, 'the price book has no price for what a call used');
    return bill;
  }

  /**
   * Moves the recording to the storage when the account has room for it. A recording that is lost is said on the call; it does not
   * stop the call's end.
   */
  async keptRecording(context: CallContext, end: LegEnd): Promise<Pick<CallEnding, 'recording' | 'recordingError'>> {
    if (!end.recording) return { recordingError: end.recordingError };
    const { path, bytes, durationMs } = end.recording;
    if (end.status !== 'completed') {
      await rm(path, { force: true });
      return {};
    }
    const full = await this.noRoom(context, bytes);
    if (full !== undefined) {
      metrics.recordingsLost.inc({ cause: 'quota' });
      await rm(path, { force: true });
      return { recordingError: `The recording was not stored. ${full}` };
    }
    const key = RecordingsService.keyOf(context.account_id, context.id);
    try {
      await put(this.storage, key, path, end.cause === 'drained' ? [] : STORAGE_WAITS_MS);
      return { recording: { key, bytes, durationMs }, recordingError: end.recordingError };
    } catch (err) {
      this.log.error({ err, call_id: context.id }, 'a recording could not be stored');
      metrics.recordingsLost.inc({ cause: 'storage' });
      // No row would refer to it, and deleting the call would not delete it.
      await rm(path, { force: true });
      return { recordingError: 'The recording could not be stored.' };
    }
  }

  /** A sentence when the recording would exceed the account's storage. A limit that cannot be read does not lose a recording. */
  private async noRoom(context: CallContext, bytes: number): Promise<string | undefined> {
    const { log } = this;
    const ids = { call_id: context.id, account_id: context.account_id };
    try {
      const problem = await this.quota.problem(context.account_id, bytes);
      if (problem !== undefined) log.warn(ids, "a recording exceeds the account's storage and was not stored");
      return problem;
    } catch (err) {
      log.error({ err, ...ids }, "the account's storage limit could not be read; the recording is stored");
      return undefined;
    }
  }

  /**
   * Deletes a stored recording that no row refers to: another process has ended the call without it. The row is read first, because
   * the response to a successful write may have been lost.
   */
  async dropUnnamedRecording(callId: string, key: string): Promise<void> {
    try {
      if (!(await this.recordings.isReferenced(callId, key))) await this.storage.delete(key);
    } catch (err) {
      this.log.error({ err, call_id: callId }, 'a recording that no call refers to could not be deleted');
    }
  }
}

/** On our side only the API hangs up, which cancels; engines name our side by the direction of the call. */
const enderOf = ({ direction }: CallContext, { endedBy }: LegEnd): CallEndedBy =>
  endedBy === (direction === 'inbound' ? 'callee' : 'caller') ? 'api' : endedBy;

/** A hangup after the agent has left ends a call that was handed over. */
const causeOf = (end: LegEnd, agent: AgentOnCall): LegEnd['cause'] =>
  agent.transfer.handedOver && end.cause === 'normal_clearing' ? 'transferred' : end.cause;

/** A process that is to end does not wait (no `waits`). */
async function put(storage: Storage, key: string, path: string, waits: readonly number[]): Promise<void> {
  const deadline = performance.now() + waits.reduce((sum, wait) => sum + wait, 0);
  for (const wait of waits) {
    try {
      return await storage.put(key, path);
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || performance.now() + wait > deadline) throw error;
      await delay(wait);
    }
  }
  await storage.put(key, path);
}
