import { changedValues } from '@app/agents';
import type { CallCommandsService, CommandInput, CommandOutcome, OwnedCall, PendingCommand } from '@app/calls';
import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { AudioLost, type CallLeg, MediaClosed } from '@app/telephony';
import { type SessionCommand, type SessionCommandOutcome, ToolFailed } from '@app/voice';
import { persist } from './call-records.service.js';

/** The live call, as commands change it. */
interface CommandedLine {
  leg: CallLeg;
  /** Resolves when the leg has ended. */
  ended: Promise<unknown>;
  hangUp(): void;
  agent: CommandedAgent;
}

interface CommandedAgent {
  command(command: SessionCommand): Promise<SessionCommandOutcome>;
  /** To the number, or to the destinations of the call. Rejects with ToolFailed. */
  transferTo(input: CommandInput): Promise<Record<string, unknown>>;
  /** False: no transfer is tried. */
  cancelTransfer(): boolean;
  pauseRecording(isPaused: boolean): Promise<void>;
  sentDtmf(digits: string): void;
  /** As it may be stored. */
  redacted<T>(value: T): T;
  /** Milliseconds since the answer. */
  readonly nowMs: number;
  /** The time of day, that many milliseconds after the answer. */
  timeOf(ms: number): Date;
  /** Resolves when the events so far are stored. */
  flush(): Promise<void>;
}

interface CommandTools {
  commands: Pick<CallCommandsService, 'begin' | 'finish' | 'setVariables'>;
  log: Log;
  /** The next command can be read. */
  next(): void;
}

/** Executes the commands of one call, one after the other. A command is marked as running before its effect. */
export class CallCommands {
  private readonly running = new Map<string, { type: PendingCommand['type']; done: Promise<void> }>();
  private isOver = false;

  constructor(
    private readonly tools: CommandTools,
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
      this.tools.next();
    });
    this.running.set(command.id, { type: command.type, done });
  }

  /** The leg and the agent have ended: resolves when the outcome of the running command is stored. Further commands are not begun. */
  async over(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private async run(command: PendingCommand): Promise<void> {
    const { commands, log } = this.tools;
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
      await this.line.agent.flush();
      await persist(() => commands.finish(command, owner, outcome), log);
    } catch (err) {
      // A command that stays `running` is settled by the end of the call.
      log.error({ err, call_id: id, command_id: command.id }, 'a command to a call failed with an internal error');
    }
  }

  private async execute(command: PendingCommand): Promise<CommandOutcome> {
    try {
      return await this.effectOf(command);
    } catch (error) {
      if (error instanceof ToolFailed) return { status: 'failed', code: error.code, message: error.message };
      if (this.isOver || isClosed(error)) return CALL_ENDED;
      this.tools.log.error({ err: error, call_id: this.call.id }, 'a command to a call could not be executed');
      return { status: 'failed', code: 'internal_error', message: 'The command could not be executed.' };
    }
  }

  private async effectOf({ id, type, input }: PendingCommand): Promise<CommandOutcome> {
    const { leg, agent } = this.line;
    switch (type) {
      case 'say':
        return this.bySession({
          type,
          commandId: id,
          text: input.text ?? '',
          when: input.when ?? 'next_pause',
        });
      case 'inject':
        return this.bySession({ type, note: input.note ?? '', respond: input.respond ?? false });
      case 'set_variables':
        await this.tools.commands.setVariables(this.call, input.variables ?? {});
        return this.bySession({ type: 'inject', note: changedValues(input.variables ?? {}), respond: false });
      case 'mute_agent':
      case 'unmute_agent':
        return this.bySession({ type });
      case 'send_dtmf':
        await leg.sendDtmf(input.digits ?? '');
        agent.sentDtmf(input.digits ?? '');
        return this.done();
      case 'transfer':
        return this.done(await agent.transferTo(input));
      case 'cancel_transfer':
        if (agent.cancelTransfer()) return this.done();
        throw new ToolFailed('no_transfer', 'The call is not being transferred, or the caller is connected already.');
      case 'pause_recording':
      case 'resume_recording':
        await agent.pauseRecording(type === 'pause_recording');
        return this.done();
      default:
        this.line.hangUp();
        await this.line.ended;
        return this.done();
    }
  }

  private async bySession(command: SessionCommand): Promise<CommandOutcome> {
    const outcome = await this.line.agent.command(command);
    const result = outcome.result && { result: this.line.agent.redacted(outcome.result) };
    if (!outcome.ok) return { status: 'failed', code: outcome.code, message: outcome.message, ...result };
    return { status: 'done', effectiveAt: this.line.agent.timeOf(outcome.atMs), atMs: outcome.atMs, ...result };
  }

  private done(result?: Record<string, unknown>): CommandOutcome {
    const { agent } = this.line;
    const atMs = agent.nowMs;
    return { status: 'done', effectiveAt: agent.timeOf(atMs), atMs, ...(result && { result }) };
  }
}

const CALL_ENDED: CommandOutcome = {
  status: 'failed',
  code: 'call_ended',
  message: 'The call ended before the command was executed to its end.',
};

/** The audio of the leg has ended. */
const isClosed = (error: unknown): boolean => error instanceof MediaClosed || error instanceof AudioLost;
