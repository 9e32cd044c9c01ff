import { firstIdOf } from '@app/common';
import { Database } from '@app/database';
import type { RtpStats } from '@app/telephony';
import { Injectable } from '@nestjs/common';
import type { CallDirection, OwnedCall } from '../domain/call.js';
import type { LegReportRow, SipMessageRow } from '../presenters/diagnostics.presenter.js';

/** The retransmissions of a message with the same bytes. */
export interface RepeatRecord {
  call_id: string;
  /** Number of the message in the call, over all legs. */
  seq: number;
  retransmissions: number;
  /** ISO 8601; the first few times. */
  repeated_at: string[];
}

/** A SIP message of a call, as a row of `call_sip_messages`. */
export interface SipMessageRecord extends RepeatRecord {
  leg: number;
  /** ISO 8601. */
  at: string;
  direction: 'in' | 'out';
  transport: string;
  local_address: string;
  local_port: number;
  remote_address: string;
  remote_port: number;
  /** base64, without secrets. */
  message: string;
}

/** A row of `call_leg_reports`; `rtp` is present when the leg has ended. */
export interface LegRecord {
  call_id: string;
  leg: number;
  direction: CallDirection;
  /** Number of messages that were not stored, because they were too many or too large. */
  left_out: number;
  rtp?: RtpStats;
}

export interface EvidenceBatch {
  legs: LegRecord[];
  messages: SipMessageRecord[];
  /** Retransmissions of messages in earlier batches. */
  repeats: RepeatRecord[];
}

/**
 * Calls that have ended are included: the response to a BYE comes after the end. Deleted calls are skipped; the key share keeps a
 * call from being deleted in the middle of the statement.
 */
const WRITE = {
  name: 'write-evidence',
  text: `WITH owned AS (
      SELECT c.id FROM unnest($1::uuid[], $2::text[]) AS o (id, owner) JOIN calls c ON c.id = o.id AND c.owner = o.owner
        FOR KEY SHARE OF c),
    legs AS (
      INSERT INTO call_leg_reports (call_id, leg, direction, left_out, rtp)
      SELECT l.call_id, l.leg, l.direction, l.left_out, l.rtp FROM owned JOIN json_to_recordset($3::json)
          AS l (call_id uuid, leg integer, direction text, left_out integer, rtp jsonb) ON l.call_id = owned.id
      ON CONFLICT (call_id, leg) DO UPDATE
        SET left_out = excluded.left_out, rtp = coalesce(excluded.rtp, call_leg_reports.rtp)),
    repeats AS (
      UPDATE call_sip_messages s SET retransmissions = r.retransmissions, repeated_at = r.repeated_at
        FROM owned JOIN json_to_recordset($5::json)
          AS r (call_id uuid, seq integer, retransmissions integer, repeated_at timestamptz[]) ON r.call_id = owned.id
        WHERE s.call_id = r.call_id AND s.seq = r.seq)
    INSERT INTO call_sip_messages (call_id, seq, leg, at, direction, transport, local_address, local_port,
        remote_address, remote_port, message, retransmissions, repeated_at)
      SELECT m.call_id, m.seq, m.leg, m.at, m.direction, m.transport, m.local_address, m.local_port,
          m.remote_address, m.remote_port, decode(m.message, 'base64'), m.retransmissions, m.repeated_at
        FROM owned JOIN json_to_recordset($4::json)
          AS m (call_id uuid, seq integer, leg integer, at timestamptz, direction text, transport text, local_address text,
            local_port integer, remote_address text, remote_port integer, message text, retransmissions integer,
            repeated_at timestamptz[]) ON m.call_id = owned.id
      ON CONFLICT (call_id, seq) DO NOTHING`,
};

const LEGS = {
  name: 'call-leg-reports',
  text: `SELECT r.leg, r.direction, r.left_out, r.rtp FROM calls c JOIN call_leg_reports r ON r.call_id = c.id
    WHERE c.account_id = $1 AND c.id = $2 ORDER BY r.leg`,
};

const MESSAGES = {
  name: 'call-sip-messages',
  text: `SELECT m.seq, m.leg, m.at, m.direction, m.transport, m.local_address, m.local_port, m.remote_address, m.remote_port,
      m.message, m.retransmissions, m.repeated_at
    FROM calls c JOIN call_sip_messages m ON m.call_id = c.id WHERE c.account_id = $1 AND c.id = $2 ORDER BY m.seq`,
};

/** Maximum number of messages per statement. */
const DELETED_AT_ONCE = 5_000;

/** The oldest first: ids grow with time. */
const DELETE_MESSAGES = {
  name: 'delete-old-sip-messages',
  text: `WITH deleted AS (
      DELETE FROM call_sip_messages WHERE (call_id, seq) IN (
        SELECT call_id, seq FROM call_sip_messages WHERE call_id < $1 ORDER BY call_id, seq LIMIT ${DELETED_AT_ONCE}) RETURNING 1)
    SELECT count(*)::integer AS n FROM deleted`,
};

/** Signalling and RTP statistics of calls, prepared: every dialer writes a batch each second. */
@Injectable()
export class CallEvidenceRepository {
  constructor(private readonly database: Database) {}

  /** Stores the evidence that a dialer recorded of `calls`, in one idempotent statement. */
  async write(calls: readonly OwnedCall[], batch: EvidenceBatch): Promise<void> {
    await this.database.rows(WRITE, [
      calls.map((call) => call.id),
      calls.map((call) => call.owner),
      JSON.stringify(batch.legs),
      JSON.stringify(batch.messages),
      JSON.stringify(batch.repeats),
    ]);
  }

  legs(accountId: number, callId: string): Promise<LegReportRow[]> {
    return this.database.rows<LegReportRow & Record<string, unknown>>(LEGS, [accountId, callId]);
  }

  /** In the order in which they were sent and received. */
  messages(accountId: number, callId: string): Promise<SipMessageRow[]> {
    return this.database.rows<SipMessageRow & Record<string, unknown>>(MESSAGES, [accountId, callId]);
  }

  /** Deletes messages of calls created before `time`, up to 5,000. Returns their number. */
  async deleteMessages(time: number): Promise<number> {
    const [deleted] = await this.database.rows<{ n: number }>(DELETE_MESSAGES, [firstIdOf(time)]);
    return deleted?.n ?? 0;
  }
}
