import { Conflict, InvalidFields, NotFound } from '@app/common';
import { Database, type Sql } from '@app/database';
import { WakeUpsService } from '@app/queue';
import {
  assignmentsIn,
  callbackHash,
  type CallbackRow,
  MAX_NOTES,
  reportProblems,
  resultForModel,
  resultOfReport,
  ToolCallbacksRepository,
  type ToolReport,
  valuesOf,
} from '@app/tools';
import { HttpException, Injectable } from '@nestjs/common';
import { CallsRepository } from './calls.repository.js';
import { CallCommandsService, type LateCall } from './commands/call-commands.service.js';
import type { LateToolResult } from './domain/call-command.js';
import { CallProgressService } from './progress/call-progress.service.js';

/** Where a report goes: to the agent of the live call, or to the record only. */
type ReportDelivery = 'conversation' | 'record';

/**
 * Takes what endpoints report of background tools. The report is stored with the command that carries it to the dialer of the call in
 * one transaction, so that neither the loss of this process nor that of the dialer loses it.
 */
@Injectable()
export class ToolReportsService {
  constructor(
    private readonly database: Database,
    private readonly callbacks: ToolCallbacksRepository,
    private readonly commands: CallCommandsService,
    private readonly calls: CallsRepository,
    private readonly progress: CallProgressService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /**
   * Throws NotFound (no invocation has this token), Conflict (it has its result), InvalidFields, and HttpException 410 (15 minutes are
   * over) and 429 (too many notes of progress).
   */
  async take(token: string, report: ToolReport): Promise<{ invocationId: string; delivery: ReportDelivery }> {
    const taken = await this.database.transaction(async (tx) => {
      const row = await this.callbacks.lock(callbackHash(token), tx);
      if (!row) throw new NotFound('Tool callback');
      if (row.has_ended) throw new Conflict('The tool call has its result already, and takes no other.');
      if (row.has_expired) throw new HttpException('The 15 minutes for the result of the tool call are over.', 410);
      const problems = reportProblems(report);
      if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
      const delivery = await this.store(row, report, tx);
      return { invocationId: row.invocation_id, delivery };
    });
    if (taken.delivery === 'conversation') this.wakeUps.wake('dial');
    return taken;
  }

  private async store(row: CallbackRow, report: ToolReport, tx: Sql): Promise<ReportDelivery> {
    const { invocation_id: id, account_id: accountId, call_id: callId } = row;
    const call = callId === null ? undefined : await this.commands.lockForLate(accountId, callId, tx);
    const redact = call?.redact ?? ((value: unknown) => value);
    const { status } = report;
    if (status === 'progress') {
      if (row.notes >= MAX_NOTES)
        throw new HttpException(`A tool call takes ${MAX_NOTES} notes of progress. Send its result.`, 429);
      await this.callbacks.note(id, String(redact(report.text)), tx);
      if (!call || call.liveOwner === null) return 'record';
      const late: LateToolResult = { tool_call_id: row.tool_call_id ?? '', status, result: report.text, variables: {} };
      return this.queue(call, late, tx);
    }
    const ok = status === 'completed';
    const result = resultOfReport(report);
    const assigned = ok ? assignmentsIn(row.behaviour, result) : undefined;
    const stored = {
      ok,
      result: redact(result) as Record<string, unknown>,
      ...(assigned && { assigned: redact(assigned) as typeof assigned }),
    };
    await this.callbacks.end(id, stored, tx);
    if (callId === null || !call) return 'record';
    if (stored.assigned) await this.calls.addVariables(accountId, callId, valuesOf(stored.assigned), tx);
    if (call.liveOwner !== null) {
      const forModel = resultForModel({ behaviour: row.behaviour }, { ok, result, assigned });
      const variables = assigned ? valuesOf(assigned) : {};
      const late = { tool_call_id: row.tool_call_id ?? '', status, result: forModel, variables, assigned };
      return this.queue(call, late, tx);
    }
    const { invocation_id, tool_id, tool_name: tool, tool_call_id, agent_id } = row;
    const found = await this.calls.find(accountId, callId);
    if (!found) return 'record';
    const { metadata, agent_name: agent } = found;
    const data = { call_id: callId, agent_id, agent, invocation_id, tool_id, tool, tool_call_id, ...stored, metadata };
    const event = ok ? 'tool-completed' : 'tool-failed';
    await this.progress.announceLater(found, { type: 'tool-result', event, at: new Date(), data }, tx);
    return 'record';
  }

  private async queue(call: LateCall, late: LateToolResult, tx: Sql): Promise<ReportDelivery> {
    return (await this.commands.queueLate(call, late, tx)) ? 'conversation' : 'record';
  }
}
