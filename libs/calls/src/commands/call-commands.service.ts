import { AccountLimitsService } from '@app/accounts';
import { AgentLookupsService, type VariableValue } from '@app/agents';
import { type Acting, AuditService } from '@app/audit';
import { Conflict, Encryption, InvalidFields, KeyedSemaphore, newId, NotFound } from '@app/common';
import { type IdempotencyKey, IdempotencyRepository, type Sql } from '@app/database';
import { ConversationSecrets, mergeRedaction } from '@app/privacy';
import { WakeUpsService } from '@app/queue';
import { HttpException, Injectable } from '@nestjs/common';
import { CallCommandsRepository, type PendingCommand } from './call-commands.repository.js';
import { CallsRepository } from '../calls.repository.js';
import type { OwnedCall } from '../domain/call.js';
import {
  type CommandedCall,
  type CommandInput,
  type CommandOutcome,
  commandRefusal,
  type LateToolResult,
  MAX_PENDING_COMMANDS,
  redactInput,
  type CommandType,
  variableErrors,
} from '../domain/call-command.js';
import { callCommandView, type CallCommandView } from '../presenters/call-command.presenter.js';

/** A locked call, to which a background tool reports. */
export interface LateCall {
  accountId: number;
  callId: string;
  /** The dialer of the live call; null: it has ended. */
  liveOwner: string | null;
  /** The commands that wait. */
  pending: number;
  /** What may be stored of a value. */
  redact: (value: unknown) => unknown;
}

interface RequestedCommand {
  callId: string;
  type: CommandType;
  input: CommandInput;
}

interface QueuedCommand {
  view: CallCommandView;
  /** The request was a repetition: this is the answer to the first request. */
  replayed: boolean;
}

/** Commands to live calls: the API queues them, and the dialer of the call executes them in their order. */
@Injectable()
export class CallCommandsService {
  /** Requests of one call would only wait for the lock of its row, each with a connection of the pool. */
  private readonly turns = new KeyedSemaphore<string>(1);

  constructor(
    private readonly commands: CallCommandsRepository,
    private readonly calls: CallsRepository,
    private readonly agents: AgentLookupsService,
    private readonly limits: AccountLimitsService,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
    private readonly encryption: Encryption,
  ) {}

  /**
   * Queues a command and wakes the dialers. Throws NotFound, InvalidFields (values that the agent does not declare), Conflict (the call is not in progress, has no transfer number, or the key was
   * used with another body), and 429 when too many commands of the call wait.
   */
  async queue(who: Acting, command: RequestedCommand, key?: IdempotencyKey): Promise<QueuedCommand> {
    const insert = (tx: Sql) => this.insert(who, command, tx);
    const release = await this.turns.acquire(command.callId);
    try {
      const { answer, replayed } = await this.idempotency.createOnce(who.accountId, key, insert);
      if (!replayed) this.wakeUps.wake('dial');
      return { view: answer, replayed };
    } finally {
      release();
    }
  }

  /** A call that may get a late result, locked. Undefined: it was deleted. */
  async lockForLate(accountId: number, callId: string, tx: Sql): Promise<LateCall | undefined> {
    const call = await this.commands.lockCall(accountId, callId, tx);
    if (!call) return undefined;
    const { agent_id: agentId, agent_version: version, status, owner, pending } = call;
    const agent = await this.agents.ofCall({ accountId, agentId, version }, tx);
    const redaction = mergeRedaction(await this.limits.redaction(accountId, tx), agent?.redaction ?? null);
    const secrets = redaction && new ConversationSecrets(redaction);
    return {
      ...{ accountId, callId, pending },
      liveOwner: status === 'in_progress' ? owner : null,
      redact: (value) => (secrets ? secrets.redactValue(value).value : value),
    };
  }

  /** Queues a late result for the dialer of the call. False: the call has ended, or too many commands wait. */
  async queueLate(call: LateCall, late: LateToolResult, tx: Sql): Promise<boolean> {
    const { accountId, callId, liveOwner: owner, pending, redact } = call;
    if (owner === null || pending >= MAX_PENDING_COMMANDS) return false;
    const input = { late: redact(late) as LateToolResult };
    const isSame = JSON.stringify(input.late) === JSON.stringify(late);
    const inputSealed = isSame ? null : this.encryption.encrypt(JSON.stringify({ late }), SEALED_INPUT);
    await this.commands.insert({ id: newId(), accountId, callId, owner, type: 'tool_result', input, inputSealed }, tx);
    return true;
  }

  /** Throws NotFound. */
  async find(accountId: number, callId: string, commandId: string): Promise<CallCommandView> {
    const row = await this.commands.find(accountId, callId, commandId);
    if (!row) throw new NotFound('Command');
    return callCommandView(row);
  }

  /** Up to `limit` commands after number `after`, in their order. Throws NotFound when the account has no such call. */
  async page(
    { accountId, callId }: { accountId: number; callId: string },
    { after, limit }: { after: number; limit: number },
  ): Promise<{ commands: CallCommandView[]; nextAfter: number | null }> {
    const rows = await this.commands.list(accountId, callId, { after, limit: limit + 1 });
    if (rows.length === 0 && !(await this.calls.find(accountId, callId))) throw new NotFound('Call');
    const commands = rows.slice(0, limit).map(callCommandView);
    return { commands, nextAfter: rows.length > limit ? (commands.at(-1)?.number ?? null) : null };
  }

  /** For a dialer: the next pending command of each of its calls. */
  async nextOf(owner: string): Promise<PendingCommand[]> {
    const commands = await this.commands.nextOf(owner);
    return commands.map(({ input_sealed: sealed, ...command }) => ({
      ...command,
      input: sealed ? (JSON.parse(this.encryption.decrypt(sealed, SEALED_INPUT)) as CommandInput) : command.input,
    }));
  }

  /** To be called before the effect. False: the command is not pending any more and must not be executed. */
  begin(command: PendingCommand, owner: string): Promise<boolean> {
    return this.commands.begin(command.id, owner);
  }

  /** Adds values to those of a live call of a dialer. */
  setVariables(call: OwnedCall, values: Readonly<Record<string, VariableValue | null>>): Promise<void> {
    return this.commands.setVariables(call, values);
  }

  /** Stores the outcome of a command that has begun. */
  finish(command: PendingCommand, owner: string, outcome: CommandOutcome): Promise<void> {
    return this.commands.finish(command, owner, outcome);
  }

  private async insert(
    { accountId, actor }: Acting,
    { callId, type, input }: RequestedCommand,
    tx: Sql,
  ): Promise<CallCommandView> {
    const call = await this.commandedCall(accountId, callId, tx);
    const refusal = commandRefusal(call, { type, input });
    if (refusal?.kind === 'too_many') throw new HttpException(refusal.message, 429);
    if (refusal || call.owner === null) throw new Conflict(refusal?.message);
    const problems = variableErrors(call.declared, input.variables);
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
    const row = await this.commands.insert(
      { id: newId(), accountId, callId, owner: call.owner, type, ...this.storedInput(input, call) },
      tx,
    );
    const subject = { kind: 'call', id: callId };
    const details = { command: row.id, type };
    await this.audit.record({ accountId, actor, action: 'call.commanded', subject, details }, tx);
    return callCommandView(row);
  }

  /** The call, locked, with what its agent declares. Throws NotFound when the call or its agent was deleted. */
  private async commandedCall(accountId: number, callId: string, tx: Sql): Promise<CommandedCall> {
    const call = await this.commands.lockCall(accountId, callId, tx);
    if (!call) throw new NotFound('Call');
    const { agent_id: agentId, agent_version: version } = call;
    const agent = await this.agents.ofCall({ accountId, agentId, version }, tx);
    if (!agent) throw new NotFound('Call');
    const accountRedaction = await this.limits.redaction(accountId, tx);
    return { ...call, declared: agent.variables, redaction: agent.redaction, account_redaction: accountRedaction };
  }

  /** Where a secret is removed, the dialer gets the input encrypted. */
  private storedInput(input: CommandInput, call: CommandedCall): { input: CommandInput; inputSealed: Buffer | null } {
    const redacted = redactInput(input, call);
    const isSame = JSON.stringify(redacted) === JSON.stringify(input);
    return {
      input: redacted,
      inputSealed: isSame ? null : this.encryption.encrypt(JSON.stringify(input), SEALED_INPUT),
    };
  }
}

/** What the encrypted value is. */
const SEALED_INPUT = 'call-command-input';
