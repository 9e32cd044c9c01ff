import type { AnsweredBy, CallDirection, CallEndedBy, CallSettings, CallStatus } from '@app/database';
import type { TransferRecord } from './transfer.js';

/** The columns of `calls` that views and webhooks are made of, in the order of CallRow. */
export const CALL_COLUMNS = `id, account_id, agent_id, number_id, trunk_id, direction, status, to_number, from_number,
  agent_name, record, metadata, settings, created_at, started_at, answered_at, answered_by, ended_at, hangup_cause, sip_code,
  ended_by, cost_micros, realtime_cost_micros, recording_key, recording_bytes, recording_ms, recording_error, webhook_seq,
  transfers, recording_deleted_at, transcript_deleted_at`;

/** One call as PostgreSQL gives it (bigint columns are strings). */
export interface CallRow {
  id: string;
  account_id: number;
  agent_id: number;
  number_id: number;
  trunk_id: number | null;
  direction: CallDirection;
  status: CallStatus;
  to_number: string;
  from_number: string;
  agent_name: string;
  record: boolean;
  metadata: Record<string, unknown> | null;
  settings: CallSettings;
  created_at: Date;
  started_at: Date | null;
  answered_at: Date | null;
  /** null: nobody answered, or the agent does not look for answering machines. */
  answered_by: AnsweredBy | null;
  ended_at: Date | null;
  hangup_cause: string | null;
  sip_code: number | null;
  ended_by: CallEndedBy | null;
  cost_micros: string | null;
  realtime_cost_micros: string | null;
  recording_key: string | null;
  recording_bytes: string | null;
  recording_ms: number | null;
  recording_error: string | null;
  webhook_seq: number;
  transfers: TransferRecord[];
  /** When it was deleted because its time was over. */
  recording_deleted_at: Date | null;
  transcript_deleted_at: Date | null;
}
