import { storageProblemOf } from '@app/accounts';
import { type CallEnding, isRecordingOfCall, mediaQuality, RecordingFiles } from '@app/calls';
import { type CallEndedBy } from '@app/database';
import { metrics } from '@app/metrics';
import { type Storage, StorageUnavailable } from '@app/storage';
import type { LegEnd } from '@app/telephony';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentOnCall } from './agent-on-call.js';
import { type Bill, billOf, type ChargedLeg, chargedLegs, toolUsage } from './bill.js';
import type { DialOrder } from './load-dial.js';
import type { RunParts } from './run-parts.js';

/** What the end of a leg means for the record of the call. */
export function endingOf(
  order: DialOrder,
  end: LegEnd,
  agent: AgentOnCall,
  times: { answeredAt?: Date; at: Date },
  parts: Pick<RunParts, 'prices' | 'log'>,
): CallEnding {
  const connectedMs = times.answeredAt ? times.at.getTime() - times.answeredAt.getTime() : 0;
  const legs = chargedLegs(order, connectedMs, agent.transfer.records);
  return {
    change: end.status,
    at: times.at,
    cause: causeOf(end, agent),
    // The agent calls the far end the callee, whoever called.
    endedBy: agent.end?.cause === end.cause && agent.end.endedBy !== 'callee' ? agent.end.endedBy : enderOf(order, end),
    sipCode: end.sipCode,
    costs: end.status === 'completed' ? pricedBill(parts, order, legs, agent) : undefined,
    summary: times.answeredAt ? agent.summary : undefined,
    mediaQuality: times.answeredAt ? mediaQuality(end.stats) : undefined,
  };
}

function pricedBill(
  { prices, log }: Pick<RunParts, 'prices' | 'log'>,
  order: DialOrder,
  legs: ChargedLeg[],
  agent: AgentOnCall,
): Bill {
  const bill = billOf(prices, legs, [...agent.usage, ...toolUsage(prices, agent.toolCalls)]);
  if (bill.unpriced.length > 0)
    log.warn({ call_id: order.id, usage: bill.unpriced }, 'the price book has no price for what a call used');
  return bill;
}

/** On our side of the line nobody hangs up but the API, which cancels; engines call it by the direction of the call. */
const enderOf = ({ direction }: DialOrder, { endedBy }: LegEnd): CallEndedBy =>
  endedBy === (direction === 'inbound' ? 'callee' : 'caller') ? 'api' : endedBy;

/** Whoever hangs up after the agent has left: the call was handed over. */
const causeOf = (end: LegEnd, agent: AgentOnCall): LegEnd['cause'] =>
  agent.transfer.handedOver && end.cause === 'normal_clearing' ? 'transferred' : end.cause;

/** Between tries of a storage that is away for a moment; no try begins later than all of them together. */
const STORAGE_WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Moves the recording to the storage when the account has room for it. A recording that is lost is said on the call; it does not
 * stop the call's end.
 */
export async function keptRecording(
  parts: Pick<RunParts, 'pool' | 'storage' | 'log'>,
  order: DialOrder,
  end: LegEnd,
): Promise<Pick<CallEnding, 'recording' | 'recordingError'>> {
  if (!end.recording) return { recordingError: end.recordingError };
  const { path, bytes, durationMs } = end.recording;
  if (end.status !== 'completed') {
    await rm(path, { force: true });
    return {};
  }
  const full = await noRoom(parts, order, bytes);
  if (full !== undefined) {
    metrics.recordingsLost.inc({ cause: 'quota' });
    await rm(path, { force: true });
    return { recordingError: `The recording was not stored. ${full}` };
  }
  const key = RecordingFiles.keyOf(order.account_id, order.id);
  try {
    await put(parts.storage, key, path, end.cause === 'drained' ? [] : STORAGE_WAITS_MS);
    return { recording: { key, bytes, durationMs }, recordingError: end.recordingError };
  } catch (err) {
    parts.log.error({ err, call_id: order.id }, 'a recording could not be stored');
    metrics.recordingsLost.inc({ cause: 'storage' });
    // Nobody could find it, and nothing that deletes the call would delete it.
    await rm(path, { force: true });
    return { recordingError: 'The recording could not be stored.' };
  }
}

/** A sentence when the recording would exceed the account's storage. A limit that cannot be read does not lose a recording. */
async function noRoom(
  { pool, log }: Pick<RunParts, 'pool' | 'log'>,
  order: DialOrder,
  bytes: number,
): Promise<string | undefined> {
  const ids = { call_id: order.id, account_id: order.account_id };
  try {
    const problem = await storageProblemOf(pool, order.account_id, bytes);
    if (problem !== undefined) log.warn(ids, "a recording exceeds the account's storage and was not stored");
    return problem;
  } catch (err) {
    log.error({ err, ...ids }, "the account's storage limit could not be read; the recording is stored");
    return undefined;
  }
}

/**
 * Deletes a stored recording that no row names: others have ended the call without it. Whether they have is asked, for the answer to a
 * write that succeeded may have been lost.
 */
export async function dropUnnamedRecording(
  { pool, storage, log }: Pick<RunParts, 'pool' | 'storage' | 'log'>,
  callId: string,
  key: string,
): Promise<void> {
  try {
    if (!(await isRecordingOfCall(pool, callId, key))) await storage.delete(key);
  } catch (err) {
    log.error({ err, call_id: callId }, 'a recording that no call refers to could not be deleted');
  }
}

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
