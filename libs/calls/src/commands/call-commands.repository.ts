import type { VariableValue } from '@app/agents';
import { Database, pgJson, pgText, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { CallCommandEntity } from './call-command.entity.js';
import type { OwnedCall } from '../domain/call.js';
import {
  type CommandedCall,
  type CommandInput,
  type CommandOutcome,
  type CommandType,
  UNFINISHED,
} from '../domain/call-command.js';

export type CallCommandRow = CallCommandEntity;

/** A command that its dialer may execute. */
export interface PendingCommand {
  id: string;
  call_id: string;
  type: CommandType;
  input: CommandInput;
  created_at: Date;
}

/** Its input is redacted; `input_sealed`: the input itself, encrypted. */
type StoredPendingCommand = PendingCommand & { input_sealed: Buffer | null };

interface NewCommand {
  id: string;
  accountId: number;
  callId: string;
  owner: string;
  type: CommandType;
  input: CommandInput;
  /** What is executed, encrypted, where `input` is redacted; null: `input` itself. */
  inputSealed: Buffer | null;
}

/** A call with the version of its agent. */
interface LockedCall
  extends Omit<CommandedCall, 'declared' | 'redaction' | 'account_redaction'>, Record<string, unknown> {
  agent_id: number;
  agent_version: number | null;
}

const LOCK_CALL = {
  name: 'lock-call-for-command',
  text: `SELECT c.status, c.owner, c.agent_id, c.agent_version, c.settings ? 'transfer' AS can_transfer,
      (SELECT count(*)::integer FROM call_commands k WHERE k.call_id = c.id AND k.status = 'pending') AS pending
    FROM calls c WHERE c.account_id = $1 AND c.id = $2 FOR UPDATE OF c`,
};

/** The call is locked, so the numbers of commands and events have no gaps. */
const INSERT = {
  name: 'insert-call-command',
  text: `WITH numbered AS (
      UPDATE calls SET event_seq = event_seq + 1 WHERE id = $3 RETURNING event_seq, answered_at),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT $3, event_seq, 'command_queued', jsonb_build_object('command_id', $1::uuid, 'command_type', $5::text,
          'at_ms', greatest(0, extract(epoch FROM now() - answered_at) * 1000)::integer) FROM numbered)
    INSERT INTO call_commands (id, account_id, call_id, seq, owner, type, input, input_sealed)
      VALUES ($1::uuid, $2, $3, (SELECT coalesce(max(seq), 0) + 1 FROM call_commands WHERE call_id = $3), $4, $5::text, $6, $7)
      RETURNING *`,
};

const FIND = {
  name: 'find-call-command',
  text: 'SELECT * FROM call_commands WHERE account_id = $1 AND call_id = $2 AND id = $3',
};

const LIST = {
  name: 'list-call-commands',
  text: 'SELECT * FROM call_commands WHERE account_id = $1 AND call_id = $2 AND seq > $3 ORDER BY seq LIMIT $4',
};

/** One per call: the next one is read after its end. */
const NEXT_OF_OWNER = {
  name: 'next-call-commands',
  text: `SELECT DISTINCT ON (call_id) id, call_id, type, input, input_sealed, created_at FROM call_commands
    WHERE owner = $1 AND status = 'pending' ORDER BY call_id, seq`,
};

const BEGIN = {
  name: 'begin-call-command',
  text: `UPDATE call_commands SET status = 'running', started_at = now(), input_sealed = NULL
    WHERE id = $1 AND owner = $2 AND status = 'pending' RETURNING id`,
};

/** The event is omitted when the call has ended: the last event of a call is its status. */
const FINISH = {
  name: 'finish-call-command',
  text: `WITH finished AS (
      UPDATE call_commands SET status = $3, finished_at = now(), effective_at = $4, result = $5, error_code = $6, error_message = $7
        WHERE id = $1 AND owner = $2 AND status = 'running' RETURNING call_id),
    numbered AS (
      UPDATE calls SET event_seq = event_seq + 1 FROM finished
        WHERE calls.id = finished.call_id AND calls.ended_at IS NULL RETURNING calls.id, calls.event_seq)
    INSERT INTO call_events (call_id, seq, type, data) SELECT id, event_seq, $8, $9 FROM numbered`,
};

const SET_VARIABLES = {
  name: 'set-call-variables',
  text: `UPDATE calls SET variables = coalesce(variables, '{}') || $3::jsonb WHERE id = $1 AND owner = $2 AND ended_at IS NULL`,
};

const { callEnded, unknown } = UNFINISHED;

/** Commands of ended calls: an earlier release, which knows no commands, may have ended the call. */
const SETTLE_LEFT_OVER = {
  name: 'settle-left-over-commands',
  text: `UPDATE call_commands k SET finished_at = now(), input_sealed = NULL,
      status = CASE k.status WHEN 'pending' THEN 'not_executed' ELSE 'failed' END,
      error_code = CASE k.status WHEN 'pending' THEN '${callEnded.code}' ELSE '${unknown.code}' END,
      error_message = CASE k.status WHEN 'pending' THEN '${callEnded.message}' ELSE '${unknown.message}' END
    FROM calls c WHERE k.status IN ('pending', 'running') AND c.id = k.call_id AND c.ended_at IS NOT NULL`,
};

/** Commands to live calls. Prepared: every dialer with live calls polls them. */
@Injectable()
export class CallCommandsRepository {
  constructor(private readonly database: Database) {}

  /** Locks the call. Undefined: the account has no such call. */
  async lockCall(accountId: number, callId: string, tx: Sql): Promise<LockedCall | undefined> {
    const [call] = await this.database.rows<LockedCall>(LOCK_CALL, [accountId, callId], tx);
    return call;
  }

  /** Stores the command with its event; the call is locked. */
  async insert(command: NewCommand, tx: Sql): Promise<CallCommandRow> {
    const { id, accountId, callId, owner, type, input, inputSealed } = command;
    const values = [id, accountId, callId, owner, type, pgJson(input), inputSealed];
    const [row] = await this.database.rows<CallCommandRow & Record<string, unknown>>(INSERT, values, tx);
    if (!row) throw new Error('The call of a command was deleted although it is locked.');
    return row;
  }

  async find(accountId: number, callId: string, id: string): Promise<CallCommandRow | undefined> {
    const values = [accountId, callId, id];
    const [row] = await this.database.rows<CallCommandRow & Record<string, unknown>>(FIND, values);
    return row;
  }

  /** Up to `limit` commands after number `after`, in their order. */
  list(accountId: number, callId: string, { after, limit }: { after: number; limit: number }) {
    const values = [accountId, callId, after, limit];
    return this.database.rows<CallCommandRow & Record<string, unknown>>(LIST, values);
  }

  /** The next pending command of each call of a dialer. */
  nextOf(owner: string): Promise<StoredPendingCommand[]> {
    return this.database.rows<StoredPendingCommand & Record<string, unknown>>(NEXT_OF_OWNER, [owner]);
  }

  /** False: the command is not pending any more. */
  async begin(id: string, owner: string): Promise<boolean> {
    return (await this.database.rows(BEGIN, [id, owner])).length > 0;
  }

  /** Stores the outcome with its event. */
  async finish(command: PendingCommand, owner: string, outcome: CommandOutcome): Promise<void> {
    const isDone = outcome.status === 'done';
    const named = { command_id: command.id, command_type: command.type };
    const data = isDone
      ? { ...named, at_ms: outcome.atMs, ...outcome.result }
      : { ...named, code: outcome.code, message: outcome.message, ...outcome.result };
    await this.database.rows(FINISH, [
      command.id,
      owner,
      outcome.status,
      isDone ? outcome.effectiveAt : null,
      outcome.result ? pgJson(outcome.result) : null,
      isDone ? null : outcome.code,
      isDone ? null : pgText(outcome.message),
      `command_${outcome.status}`,
      pgJson(data),
    ]);
  }

  /** Adds values to those of a live call. */
  async setVariables({ id, owner }: OwnedCall, values: Readonly<Record<string, VariableValue | null>>): Promise<void> {
    await this.database.rows(SET_VARIABLES, [id, owner, pgJson(values)]);
  }

  async settleLeftOver(): Promise<void> {
    await this.database.rows(SETTLE_LEFT_OVER);
  }
}
