import { type CallDirection, rows, type Sql } from '@app/database';
import type { RtpStats } from '@app/telephony';
import type { OwnedCall } from './transition.js';

/** How often a message went the same way again with the same bytes, and when (the first few times). */
export interface RepeatRecord {
  call_id: string;
  /** Counts the messages of a call, whatever leg they belong to. */
  seq: number;
  retransmissions: number;
  /** ISO 8601. */
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

/** What is known of a leg besides its messages; `rtp` once it has ended. */
export interface LegRecord {
  call_id: string;
  leg: number;
  direction: CallDirection;
  /** Messages that were not kept, because the call had too many or too large ones. */
  left_out: number;
  rtp?: RtpStats;
}

export interface EvidenceBatch {
  legs: LegRecord[];
  messages: SipMessageRecord[];
  /** Of messages in earlier batches. */
  repeats: RepeatRecord[];
}

/**
 * Also of calls that have ended: the answer to a BYE comes after the end. A call that was deleted meanwhile is passed over;
 * the key share keeps it from being deleted in the middle of the statement.
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

/** Writes what a dialer saw of `calls`, of all of them in one statement; the same batch twice does no harm. */
export async function writeEvidence(sql: Sql, calls: OwnedCall[], batch: EvidenceBatch): Promise<void> {
  await rows(sql, WRITE, [
    calls.map((call) => call.id),
    calls.map((call) => call.owner),
    JSON.stringify(batch.legs),
    JSON.stringify(batch.messages),
    JSON.stringify(batch.repeats),
  ]);
}
