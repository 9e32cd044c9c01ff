import { NotFound } from '@app/common';
import { quickRows, rows } from '@app/database';
import type { Pool } from 'pg';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import type { CostLine } from './finish.js';

/** Parameters: account, call. */
const FIND_CALL = {
  name: 'find-call',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE account_id = $1 AND id = $2`,
};

/** Throws NotFound when the account has no such call. */
export async function findCall(pool: Pool, accountId: number, callId: string): Promise<CallRow> {
  const [row] = await quickRows<CallRow>(pool, FIND_CALL, [accountId, callId]);
  if (!row) throw new NotFound('Call');
  return row;
}

/** Parameters: account, call. */
export const FIND_CALL_WITH_RESULTS = {
  name: 'find-call-with-results',
  text: `SELECT ${CALL_COLUMNS}, summary, (
      SELECT coalesce(jsonb_agg(to_jsonb(u) ORDER BY u.line), '[]') FROM call_usage u WHERE u.call_id = calls.id
    ) AS costs FROM calls WHERE account_id = $1 AND id = $2`,
};

/** A call with what came of it. */
export interface CallWithResults extends CallRow {
  /** null: it has not ended, nobody answered, or its transcript was deleted. */
  summary: string | null;
  costs: CostLine[];
}

/** Throws NotFound when the account has no such call. */
export async function findCallWithResults(pool: Pool, accountId: number, callId: string): Promise<CallWithResults> {
  const [row] = await quickRows<CallWithResults & Record<string, unknown>>(pool, FIND_CALL_WITH_RESULTS, [
    accountId,
    callId,
  ]);
  if (!row) throw new NotFound('Call');
  return row;
}

/** By the id alone: the signature of the link is what gives the right to it, and it covers the account. */
const FIND_RECORDING = {
  name: 'find-recording',
  text: 'SELECT id, account_id, recording_key FROM calls WHERE id = $1',
};

export interface RecordingRow {
  id: string;
  account_id: number;
  recording_key: string | null;
}

/** Whether a row says that this file of the storage is its recording. */
export async function isRecordingOfCall(pool: Pool, callId: string, key: string): Promise<boolean> {
  const recording = await findRecording(pool, callId);
  return recording?.recording_key === key;
}

export async function findRecording(pool: Pool, callId: string): Promise<RecordingRow | undefined> {
  const [row] = await rows<RecordingRow & Record<string, unknown>>(pool, FIND_RECORDING, [callId]);
  return row;
}
