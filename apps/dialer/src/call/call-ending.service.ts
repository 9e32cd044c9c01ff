import { StorageQuotaService } from '@app/accounts';
import {
  PRICE_BOOK,
  type CallEnding,
  mediaQuality,
  RecordingsService,
  type TransferRecord,
  type Bill,
  billOf,
  type ChargedLeg,
  chargedLegs,
  microsPerSecond,
  type PriceBook,
  toolUsage,
} from '@app/calls';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { mergeRedaction } from '@app/privacy';
import { LOG } from '@app/common/settings';
import { Storage, StorageUnavailable } from '@app/storage';
import type { LegEnd } from '@app/telephony';
import {
  BUILTIN_TOOLS,
  COLLECT_DIGITS,
  DO_NOT_CALL_TOOL,
  KNOWLEDGE_TOOL,
  RECORDING_CONSENT_TOOL,
  type SessionEnd,
  type SessionEvent,
  type UsageItem,
} from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from './call-context.service.js';
import type { SpendPlan } from './call-records.service.js';
import { causeOf, enderOf } from './call-end.js';
import { callMeasures } from './call-measures.js';
import { RECORDING_TOOLS } from '../media/recording-control.js';
import { type Silence, silenceRecording } from '../media/recording-silences.js';

/** Delays between attempts to write to an unavailable storage; no attempt begins later than their sum. */
const STORAGE_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** What the agent of a call leaves for its last row. */
interface ConversationResult {
  /** Undefined for an unanswered call. */
  end?: SessionEnd;
  /** Why the agent was given up, as a sentence. */
  failureReason?: string;
  /** Absent: no agent talked. */
  heard?: readonly SessionEvent[];
  /** Milliseconds from the answer until it joined. */
  joinedMs: number;
  usage: UsageItem[];
  toolCalls: string[];
  summary: string;
  transfer: { transfers: readonly TransferRecord[]; isHandedOver: boolean };
}

/** Ends a call: its cost, its recording and its last row. */
@Injectable()
export class CallEndingService {
  constructor(
    private readonly quota: StorageQuotaService,
    private readonly recordings: RecordingsService,
    private readonly storage: Storage,
    @Inject(PRICE_BOOK) private readonly prices: PriceBook,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** What a call of the longest duration costs. `transferTo`: a number that it is transferred to, instead of those of its settings. */
  spendPlan(context: CallContext, transferTo?: string): SpendPlan {
    const transfer = transferTo === undefined ? context.settings.transfer : { phone_number: transferTo };
    const planned = { ...context, settings: { ...context.settings, transfer } };
    return {
      accountId: context.account_id,
      microsPerSecond: microsPerSecond(this.prices, planned),
      longestSeconds: context.max_call_seconds,
    };
  }

  /** The result of a call from the end of its leg. */
  endingOf(
    context: CallContext,
    end: LegEnd,
    agent: ConversationResult,
    times: { answeredAt?: Date; at: Date },
  ): CallEnding {
    const connectedMs = times.answeredAt ? times.at.getTime() - times.answeredAt.getTime() : 0;
    const legs = chargedLegs(context, connectedMs, agent.transfer.transfers);
    return {
      change: end.status,
      at: times.at,
      cause: causeOf(end, { end: agent.end, isHandedOver: agent.transfer.isHandedOver }),
      endedBy: enderOf(context, end, agent.end),
      sipCode: end.sipCode,
      failureReason: end.cause === 'agent_provider_error' ? agent.failureReason : undefined,
      costs: end.status === 'completed' ? this.pricedBill(context, legs, agent) : undefined,
      summary: times.answeredAt ? agent.summary : undefined,
      mediaQuality: times.answeredAt ? mediaQuality(end.stats) : undefined,
      measures: times.answeredAt
        ? callMeasures(
            end.stats,
            agent.heard && { events: agent.heard, joinedMs: agent.joinedMs, durationMs: connectedMs },
          )
        : undefined,
    };
  }

  /** The result of an inbound call without an agent: it was not answered, heard the closed message, waited in the queue or left it by a transfer. */
  endingWithoutAgent(
    context: CallContext,
    end: LegEnd,
    times: { answeredAt?: Date; at: Date },
    transfer = NO_AGENT.transfer,
  ): CallEnding {
    const ending = this.endingOf(context, end, { ...NO_AGENT, transfer }, times);
    const endedBy = end.cause === 'skipped_by_webhook' ? 'api' : ending.endedBy;
    const front = times.answeredAt ? frontCause(context, end) : end.cause;
    return { ...ending, cause: transfer.isHandedOver ? ending.cause : front, endedBy, summary: undefined };
  }

  private pricedBill(context: CallContext, legs: ChargedLeg[], agent: ConversationResult): Bill {
    const { prices, log } = this;
    const bill = billOf(prices, legs, [...agent.usage, ...toolUsage(prices, chargedCalls(agent.toolCalls))]);
    if (bill.unpriced.length > 0)
      log.warn({ call_id: context.id, usage: bill.unpriced }, 'the price book has no price for a usage of a call');
    return bill;
  }

  /** The needed consent is missing: the recording is silent. */
  async droppedRecording({ id }: CallContext, { recording }: LegEnd): Promise<Pick<CallEnding, 'recording'>> {
    if (recording) await this.remove(recording.path, id);
    return {};
  }

  /**
   * Moves the recording to the storage when the account has room for it. The loss of a recording is noted on the call and does not stop
   * its end.
   */
  async keptRecording(
    context: CallContext,
    end: LegEnd,
    silences: readonly Silence[] = wholeIfRedacted(context),
  ): Promise<Pick<CallEnding, 'recording' | 'recordingError'>> {
    if (!end.recording) return { recordingError: end.recordingError };
    if (end.status !== 'completed') return this.droppedRecording(context, end);
    const { path, bytes, durationMs } = end.recording;
    const problem = await this.silenced(context, end.recording, silences);
    if (problem !== undefined) return { recordingError: problem };
    const full = await this.noRoom(context, bytes);
    if (full !== undefined) {
      metrics.recordingsLost.inc({ cause: 'quota' });
      await this.remove(path, context.id);
      return { recordingError: `The recording was not stored. ${full}` };
    }
    const key = RecordingsService.keyOf(context.account_id, context.id);
    try {
      await put(this.storage, key, path, end.cause === 'drained' ? [] : STORAGE_WAITS_MS);
      return { recording: { key, bytes, durationMs }, recordingError: end.recordingError };
    } catch (err) {
      this.log.error({ err, call_id: context.id }, 'a recording could not be stored');
      metrics.recordingsLost.inc({ cause: 'storage' });
      // No row would refer to the file, and deleting the call would not delete it.
      await this.remove(path, context.id);
      return { recordingError: 'The recording could not be stored.' };
    }
  }

  /** Silences the secrets in the local file, before it is stored. A sentence when that fails: then the file is deleted. */
  private async silenced(
    { id }: CallContext,
    recording: NonNullable<LegEnd['recording']>,
    silences: readonly Silence[],
  ): Promise<string | undefined> {
    try {
      await silenceRecording(recording, silences);
      return undefined;
    } catch (err) {
      this.log.error({ err, call_id: id }, 'the secrets in a recording could not be silenced; it was deleted');
      metrics.recordingsLost.inc({ cause: 'redaction' });
      await this.remove(recording.path, id);
      return 'The recording was deleted because the secrets in it could not be silenced.';
    }
  }

  /** A file that a broken disk keeps does not stop the end of its call; the dialer goes on trying to remove it. */
  private async remove(path: string, callId: string): Promise<void> {
    try {
      await rm(path, { force: true });
    } catch (err) {
      this.log.error({ err, call_id: callId }, 'the local file of a recording could not be removed');
    }
  }

  /**
   * A sentence when the recording would exceed the account's storage; undefined also when the limit cannot be read, so that no
   * recording is lost.
   */
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

/** Without an agent nothing is transcribed, so that nothing could be found. */
function wholeIfRedacted(context: CallContext): Silence[] {
  const isRedacted = mergeRedaction(context.account_redaction, context.redaction)?.audio;
  return isRedacted ? [{ fromMs: 0, toMs: Infinity }] : [];
}

const NO_AGENT: ConversationResult = {
  joinedMs: 0,
  usage: [],
  toolCalls: [],
  summary: '',
  transfer: { transfers: [], isHandedOver: false },
};

/** A caller that hangs up during the closed message has heard that the number is closed. */
const frontCause = ({ settings }: CallContext, { endedBy, cause }: LegEnd): LegEnd['cause'] => {
  if (endedBy !== 'caller') return cause;
  return settings.closed ? 'closed' : settings.queue ? 'queue_abandoned' : cause;
};

/** A stopping process does not wait (no `waits`). */
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

/** Built-in tools cost nothing. */
const INCLUDED = new Set([
  ...BUILTIN_TOOLS.map(({ name }) => name),
  KNOWLEDGE_TOOL,
  DO_NOT_CALL_TOOL.name,
  COLLECT_DIGITS,
  RECORDING_CONSENT_TOOL,
  ...RECORDING_TOOLS,
  'call_transfer',
]);

/** The number of calls of the account's own tools. */
export const chargedCalls = (names: readonly string[]): number => names.filter((name) => !INCLUDED.has(name)).length;
