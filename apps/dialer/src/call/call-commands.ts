import { changedValues } from '@app/agents';
import type { CommandOutcome, OwnedCall, PendingCommand } from '@app/calls';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { AudioLost, type CallLeg, MediaClosed } from '@app/telephony';
import { type SessionCommand, ToolFailed } from '@app/voice';
import type { AgentOnCall } from '../agent/agent-on-call.js';
import { persist } from './call-records.service.js';
import type { CommandDeliveryService } from './command-delivery.service.js';

/** The line of the call, and the agent that talks on it. */
interface CommandedLine {
  leg: CallLeg;
  /** Resolves when the leg has ended. */
  ended: Promise<unknown>;
  agent: AgentOnCall;
}

/** Executes the commands of one call, one after the other. A command is marked as running before its effect. */
export class CallCommands {
  private readonly running = new Map<string, { type: PendingCommand['type']; done: Promise<void> }>();
  private isOver = false;

  constructor(
    private readonly delivery: CommandDeliveryService,
    private readonly log: Log,
    private readonly call: OwnedCall,
    private readonly line: CommandedLine,
  ) {}

  /** Ignored while another command runs: it is delivered again afterwards. A transfer is cancelled while its command runs. */
  take(command: PendingCommand): void {
    if (this.isOver || this.running.has(command.id)) return;
    const others = [...this.running.values()];
    if (others.some(({ type }) => type !== 'transfer' || command.type !== 'cancel_transfer')) return;
    const done = this.run(command).finally(() => {
      this.running.delete(command.id);
      this.delivery.wake();
    });
    this.running.set(command.id, { type: command.type, done });
  }

  /** The leg and the agent have ended: resolves when the outcome of the running command is stored. Further commands are not begun. */
  async close(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private async run(command: PendingCommand): Promise<void> {
    const { log } = this;
    const { commands } = this.delivery;
    const { owner, id } = this.call;
    try {
      if (!(await commands.begin(command, owner))) return;
      const outcome = await this.execute(command);
      metrics.callCommands.inc({ kind: command.type, outcome: outcome.status });
      if (outcome.status === 'done')
        metrics.callCommandSeconds.observe(
          { kind: command.type },
          Math.max(0, outcome.effectiveAt.getTime() - command.created_at.getTime()) / 1_000,
        );
      await this.line.agent.record.flush();
      await persist(() => commands.finish(command, owner, outcome), log);
    } catch (err) {
      // A command that stays `running` is settled by the end of the call.
      log.error({ err, call_id: id, command_id: command.id }, 'a command to a call failed with an internal error');
    }
  }

  private async execute(command: PendingCommand): Promise<CommandOutcome> {
    try {
      return await this.apply(command);
    } catch (error) {
      if (error instanceof ToolFailed) return { status: 'failed', code: error.code, message: error.message };
      if (this.isOver || isClosed(error)) return CALL_ENDED;
      this.log.error({ err: error, call_id: this.call.id }, 'a command to a call could not be executed');
      return { status: 'failed', code: 'internal_error', message: 'The command could not be executed.' };
    }
  }

  private async apply({ id, type, input }: PendingCommand): Promise<CommandOutcome> {
    const { leg, agent } = this.line;
    switch (type) {
      case 'say':
        return this.runInSession({
          type,
          commandId: id,
          text: input.text ?? '',
          when: input.when ?? 'next_pause',
        });
      case 'inject':
        return this.runInSession({ type, note: input.note ?? '', respond: input.respond ?? false });
      case 'set_variables':
        await this.delivery.commands.setVariables(this.call, input.variables ?? {});
        agent.variables.set(input.variables ?? {});
        return this.runInSession({
          type: 'inject',
          note: changedValues(input.variables ?? {}),
          respond: false,
          variables: input.variables ?? {},
        });
      case 'tool_result': {
        const { tool_call_id: toolCallId, status, result, variables, assigned } = input.late!;
        agent.variables.set(variables);
        return this.runInSession({ type, toolCallId, status, result, ...(assigned && { assigned }) });
      }
      case 'mute_agent':
      case 'unmute_agent':
        return this.runInSession({ type });
      case 'send_dtmf':
        await leg.sendDtmf(input.digits ?? '');
        agent.record.keep({ at_ms: agent.clock.nowMs, type: 'dtmf_sent', digits: input.digits ?? '' });
        return this.succeed();
      case 'transfer':
        return this.succeed(await agent.transferTo(input));
      case 'cancel_transfer':
        if (agent.cancelTransfer()) return this.succeed();
        throw new ToolFailed('no_transfer', 'The call is not being transferred, or the caller is connected already.');
      case 'pause_recording':
      case 'resume_recording':
        await agent.pauseRecording(type === 'pause_recording');
        return this.succeed();
      default:
        leg.hangup('cancelled');
        await this.line.ended;
        return this.succeed();
    }
  }

  private async runInSession(command: SessionCommand): Promise<CommandOutcome> {
    const { agent } = this.line;
    const outcome = await agent.command(command);
    const result = outcome.result && { result: agent.record.redactValue(outcome.result) };
    if (!outcome.ok) return { status: 'failed', code: outcome.code, message: outcome.message, ...result };
    return { status: 'done', effectiveAt: agent.clock.timeOf(outcome.atMs), atMs: outcome.atMs, ...result };
  }

  private succeed(result?: Record<string, unknown>): CommandOutcome {
    const { clock } = this.line.agent;
    const atMs = clock.nowMs;
    return { status: 'done', effectiveAt: clock.timeOf(atMs), atMs, ...(result && { result }) };
  }
}

const CALL_ENDED: CommandOutcome = {
  status: 'failed',
  code: 'call_ended',
  message: 'The call ended before the command was executed to its end.',
};

/** The audio of the leg has ended. */
const isClosed = (error: unknown): boolean => error instanceof MediaClosed || error instanceof AudioLost;
