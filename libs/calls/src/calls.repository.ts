import { Database, pgJson, type Sql, type Statement } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from './call.entity.js';
import type { CallStatus } from './domain/call.js';
import type { CallWithResults } from './presenters/call.presenter.js';

interface RecordingRow {
  id: string;
  account_id: number;
  recording_key: string | null;
}

const FIND: Statement = {
  name: 'find-call',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE account_id = $1 AND id = $2`,
};

/** Parameters: account, call. */
export const FIND_CALL_WITH_RESULTS = {
  name: 'find-call-with-results',
  text: `SELECT ${CALL_COLUMNS}, summary, measures, flow, (
      SELECT coalesce(jsonb_agg(to_jsonb(u) ORDER BY u.line), '[]') FROM call_usage u WHERE u.call_id = calls.id
    ) AS costs FROM calls WHERE account_id = $1 AND id = $2`,
};

const LOCK_TO_CANCEL = {
  name: 'lock-call-for-cancel',
  text: `SELECT ${CALL_COLUMNS}, owner FROM calls WHERE account_id = $1 AND id = $2 FOR UPDATE`,
};

const LOCK_QUEUED = {
  name: 'lock-queued-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE id = ANY ($1::uuid[]) AND status = 'pending' AND owner IS NULL
    ORDER BY id FOR UPDATE SKIP LOCKED`,
};

const COUNT = {
  name: 'count-live-and-queued',
  text: `SELECT count(*) FILTER (WHERE started_at IS NOT NULL)::integer AS live, count(*) FILTER (WHERE started_at IS NULL)::integer AS queued
    FROM calls WHERE id = ANY ($1::uuid[]) AND ended_at IS NULL`,
};

const REQUEST_CANCEL = {
  name: 'request-cancel',
  text: 'UPDATE calls SET cancel_requested_at = coalesce(cancel_requested_at, now()) WHERE id = $1',
};

const ADD_METADATA = {
  name: 'add-call-metadata',
  text: `UPDATE calls SET metadata = coalesce(metadata, '{}'::jsonb) || $3::jsonb WHERE account_id = $1 AND id = $2`,
};

/** Also of an ended call: a tool may report after its end. */
const ADD_VARIABLES = {
  name: 'add-call-variables',
  text: `UPDATE calls SET variables = coalesce(variables, '{}'::jsonb) || $3::jsonb WHERE account_id = $1 AND id = $2`,
};

const FIND_TO_DELETE = {
  name: 'call-to-delete',
  text: 'SELECT status, recording_key FROM calls WHERE account_id = $1 AND id = $2',
};

const DELETE = {
  name: 'delete-call',
  text: 'DELETE FROM calls WHERE account_id = $1 AND id = $2 RETURNING contact_id',
};

/** By the id alone: the signature of the link grants the access, and it covers the account. */
const FIND_RECORDING = {
  name: 'find-recording',
  text: 'SELECT id, account_id, recording_key FROM calls WHERE id = $1',
};

const ACTIVE_AMONG = {
  name: 'active-calls-of-recordings',
  text: `SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND status = ANY ($2::text[])`,
};

/** The statements of the API and of recordings on `calls`. Prepared: they are the hot paths of the API process. */
@Injectable()
export class CallsRepository {
  constructor(private readonly database: Database) {}

  async addVariables(accountId: number, callId: string, values: Record<string, unknown>, tx: Sql): Promise<void> {
    await this.database.rows(ADD_VARIABLES, [accountId, callId, pgJson(values)], tx);
  }

  async find(accountId: number, callId: string): Promise<CallRow | undefined> {
    const [row] = await this.database.quickRows<CallRow>(FIND, [accountId, callId]);
    return row;
  }

  async findWithResults(accountId: number, callId: string): Promise<CallWithResults | undefined> {
    const values = [accountId, callId];
    type Found = CallWithResults & Record<string, unknown>;
    const [row] = await this.database.quickRows<Found>(FIND_CALL_WITH_RESULTS, values);
    return row;
  }

  async lockToCancel(
    accountId: number,
    callId: string,
    tx: Sql,
  ): Promise<(CallRow & { owner: string | null }) | undefined> {
    const values = [accountId, callId];
    const [row] = await this.database.rows<CallRow & { owner: string | null }>(LOCK_TO_CANCEL, values, tx);
    return row;
  }

  /** Locks those of the calls that no dialer has claimed. */
  lockQueued(callIds: readonly string[], tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(LOCK_QUEUED, [callIds], tx);
  }

  /** How many of the calls are live, and how many wait. */
  async count(callIds: readonly string[], tx: Sql): Promise<{ live: number; queued: number }> {
    const [row] = await this.database.rows<{ live: number; queued: number }>(COUNT, [callIds], tx);
    return row ?? { live: 0, queued: 0 };
  }

  /** The dialer of the call polls for the request. */
  async requestCancel(callId: string, tx: Sql): Promise<void> {
    await this.database.rows(REQUEST_CANCEL, [callId], tx);
  }

  async addMetadata(accountId: number, callId: string, metadata: Record<string, unknown>): Promise<void> {
    await this.database.rows(ADD_METADATA, [accountId, callId, JSON.stringify(metadata)]);
  }

  async findToDelete(
    accountId: number,
    callId: string,
  ): Promise<{ status: CallStatus; recording_key: string | null } | undefined> {
    type Found = { status: CallStatus; recording_key: string | null };
    const [row] = await this.database.rows<Found>(FIND_TO_DELETE, [accountId, callId]);
    return row;
  }

  /** With the contact of a campaign that was called. Undefined: there is no such call. */
  async delete(accountId: number, callId: string, tx: Sql): Promise<{ contactId: string | null } | undefined> {
    const [deleted] = await this.database.rows<{ contact_id: string | null }>(DELETE, [accountId, callId], tx);
    return deleted && { contactId: deleted.contact_id };
  }

  async findRecording(callId: string): Promise<RecordingRow | undefined> {
    const [row] = await this.database.rows<RecordingRow & Record<string, unknown>>(FIND_RECORDING, [callId]);
    return row;
  }

  /** The ids of the calls that have one of the `statuses`. */
  async withStatus(callIds: readonly string[], statuses: readonly CallStatus[]): Promise<string[]> {
    const found = await this.database.rows<{ id: string }>(ACTIVE_AMONG, [callIds, statuses]);
    return found.map(({ id }) => id);
  }
}
