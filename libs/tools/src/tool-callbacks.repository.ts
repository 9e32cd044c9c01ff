import { Database, pgJson, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Assignment } from './domain/tool.js';
import type { ToolBehaviour } from './domain/tool-behaviour.js';

/** An invocation that waits, or has waited, for a callback. */
export interface CallbackRow extends Record<string, unknown> {
  invocation_id: string;
  account_id: number;
  agent_id: number;
  tool_id: number;
  tool_name: string;
  tool_call_id: string | null;
  call_id: string | null;
  behaviour: Partial<ToolBehaviour>;
  notes: number;
  has_ended: boolean;
  has_expired: boolean;
}

/** Locked against another report at the same time. */
const LOCK = {
  name: 'lock-tool-callback',
  text: `SELECT k.invocation_id, k.account_id, i.agent_id, i.tool_id, i.tool_name, i.tool_call_id, i.call_id, k.behaviour,
      json_array_length(k.notes) AS notes, k.ended_at IS NOT NULL OR i.ended_at IS NOT NULL AS has_ended,
      k.expires_at <= now() AS has_expired
    FROM tool_callbacks k JOIN tool_invocations i ON i.id = k.invocation_id WHERE k.token_hash = $1 FOR UPDATE OF k`,
};

const NOTE = {
  name: 'note-tool-progress',
  text: `UPDATE tool_callbacks SET notes = (notes::jsonb || jsonb_build_array(jsonb_build_object('at', now(), 'text', $2::text)))::json
    WHERE invocation_id = $1`,
};

const END = {
  name: 'end-tool-callback',
  text: `WITH closed AS (UPDATE tool_callbacks SET ended_at = now() WHERE invocation_id = $1)
    UPDATE tool_invocations SET ok = $2, result = $3, assigned = $4, ended_at = now() WHERE id = $1 AND ended_at IS NULL`,
};

const EXPIRED_AT_ONCE = 500;
const EXPIRE = {
  name: 'expire-tool-callbacks',
  text: `WITH expired AS (
      UPDATE tool_callbacks SET ended_at = now() WHERE invocation_id = ANY (ARRAY(
        SELECT invocation_id FROM tool_callbacks WHERE ended_at IS NULL AND expires_at <= now()
         ORDER BY expires_at LIMIT ${EXPIRED_AT_ONCE})) RETURNING invocation_id)
    UPDATE tool_invocations i SET ok = false, result = $1, ended_at = now() FROM expired e
      WHERE i.id = e.invocation_id AND i.ended_at IS NULL`,
};

/** Statements on `tool_callbacks`; BEGIN of the invocations inserts them. */
@Injectable()
export class ToolCallbacksRepository {
  constructor(private readonly database: Database) {}

  async lock(tokenHash: Buffer, tx: Sql): Promise<CallbackRow | undefined> {
    const [row] = await this.database.rows<CallbackRow>(LOCK, [tokenHash], tx);
    return row;
  }

  async note(invocationId: string, text: string, tx: Sql): Promise<void> {
    await this.database.rows(NOTE, [invocationId, text.replaceAll('\0', '')], tx);
  }

  /** Ends the invocation with its result. */
  async end(
    invocationId: string,
    { ok, result, assigned }: { ok: boolean; result: unknown; assigned?: readonly Assignment[] },
    tx: Sql,
  ): Promise<void> {
    await this.database.rows(END, [invocationId, ok, pgJson(result), assigned ? pgJson(assigned) : null], tx);
  }

  /** Ends invocations without a callback in time, 500 at most. */
  async expire(result: unknown): Promise<void> {
    await this.database.rows(EXPIRE, [pgJson(result)]);
  }
}
