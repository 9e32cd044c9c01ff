import { type CallDirection, rows } from '@app/database';
import type { RtpStats } from '@app/telephony';
import type { Pool } from 'pg';
import type { CallRow } from './call-row.js';
import { findCall } from './find-call.js';

/** A stored SIP message, without the secrets it had. */
export interface SipMessageRow {
  seq: number;
  leg: number;
  at: Date;
  direction: 'in' | 'out';
  transport: string;
  local_address: string;
  local_port: number;
  remote_address: string;
  remote_port: number;
  message: Buffer;
  retransmissions: number;
  /** When it went again; the first few times. */
  repeated_at: Date[];
}

export interface LegReportRow {
  leg: number;
  direction: CallDirection;
  left_out: number;
  /** Null until the leg has ended. */
  rtp: RtpStats | null;
}

export interface Diagnostics {
  call: CallRow;
  legs: LegReportRow[];
  /** In the order in which they came and went. */
  messages: SipMessageRow[];
}

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

/** What happened on the wire. Throws NotFound when the account has no such call; one that was not dialled has nothing. */
export async function findDiagnostics(pool: Pool, accountId: number, callId: string): Promise<Diagnostics> {
  const values = [accountId, callId];
  const [call, legs, messages] = await Promise.all([
    findCall(pool, accountId, callId),
    rows<LegReportRow & Record<string, unknown>>(pool, LEGS, values),
    rows<SipMessageRow & Record<string, unknown>>(pool, MESSAGES, values),
  ]);
  return { call, legs, messages };
}
