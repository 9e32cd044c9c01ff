import { Encryption, type Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { sealHeaders, sealRequest, SigningSecretsService, type ToolDeliveryRecord } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { ActionSenderService, type Attempt, type Sending } from './action-sender.service.js';
import { assignmentsOf } from './domain/assignment.js';
import { InvalidActionRequest, openedRequest, prepareActions, type PreparedAction } from './domain/action-request.js';
import { capResult } from './domain/endpoint-answer.js';
import { behaviourOf } from './domain/tool-behaviour.js';
import { newCallback } from './domain/tool-callback.js';
import type { AgentTool, ToolAction, ActionError, ActionOutcome, InvocationContext, ToolRun } from './domain/tool.js';
import { redactDelivery } from './domain/redacted-records.js';
import { InvocationRecorderService } from './invocation-recorder.service.js';
import { McpToolRunnerService } from './mcp/mcp-tool-runner.service.js';
import type { AttemptRecord } from './tool-invocations.repository.js';

/** Time limit of all awaited actions of a run together. */
const MAX_RUN_MS = 120_000;
/** Time in which a process releases the queued actions after the last awaited one. */
const HOLD_SLACK_MS = 5_000;

/** The maximum duration of a run: its awaited actions run serially. */
export const runLimitMs = ({ actions, mcp }: Pick<AgentTool, 'actions' | 'mcp'>): number =>
  Math.min(MAX_RUN_MS, mcp?.timeoutMs ?? waitedMs(actions));

const waitedMs = (actions: readonly ToolAction[]): number =>
  actions.reduce((sum, { waitResponse, timeoutMs }) => sum + (waitResponse ? timeoutMs : 0), 0);

/** An action that has ended. */
interface Done {
  outcome: ActionOutcome;
  /** For the model. */
  value: unknown;
  record: AttemptRecord;
}

/** Runs the tools of agents. */
@Injectable()
export class ToolRunnerService {
  constructor(
    private readonly recorder: InvocationRecorderService,
    private readonly mcp: McpToolRunnerService,
    private readonly sender: ActionSenderService,
    private readonly secrets: SigningSecretsService,
    private readonly encryption: Encryption,
    private readonly wakeUps: WakeUpsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /**
   * Calls the tool of an MCP server, or runs the actions of a tool in list order. Awaited actions run serially, also after a failure; the outbox delivers the others after the
   * awaited ones before them in the list. The invocation is recorded before the first request. Failures of endpoints are results; the
   * signal ends the wait, and later actions are not sent.
   * @throws when the database or the encrypted headers cannot be read; then nothing was sent.
   */
  async run(
    tool: AgentTool,
    args: Record<string, unknown>,
    context: InvocationContext,
    signal: AbortSignal,
  ): Promise<ToolRun> {
    const { invocation: begun, refused } = await this.recorder.prepare(tool, args, context);
    if (refused) return refused;
    if (tool.mcp) return this.mcp.run(begun, tool, tool.mcp, signal);
    const secrets = await this.secrets.of(context.accountId);
    const address = behaviourOf(tool.behaviour).mode === 'background' ? newCallback(this.env) : undefined;
    const prepared = prepareActions(this.encryption, tool, args, context, address ?? null);
    const callback = address && prepared.some((one) => hasText(one, address.url)) ? address : undefined;
    const queued = prepared.filter(({ action }) => !action.waitResponse).map((one) => queuedOrRefused(one));
    const deliveries = this.queuedDeliveries(prepared, begun.id, context);
    const attempts = queued.map(({ record }) => record);
    await this.recorder.begin({ ...begun, queued: deliveries, attempts, callback });
    if (deliveries.some(({ hold_ms: holdMs }) => holdMs === 0)) this.wakeUps.wake('webhooks');

    const waited = await this.runWaited(prepared, { accountId: context.accountId, secrets }, signal);
    // What a callback reports is assigned, and not that the endpoint has taken the request.
    const run = runOf(begun.id, callback ? { ...tool, behaviour: null } : tool, [...waited, ...queued]);
    if (run.assigned) context.variables?.assign(run.assigned);
    const ended = waited.map(({ record }) => record);
    // A request that failed started nothing: no callback is to be expected.
    const isPending = callback !== undefined && run.ok;
    if (isPending) await this.recorder.await(run, ended, context.redact);
    else await this.recorder.end(run, ended, context.redact);
    if (deliveries.some(({ hold_ms: holdMs }) => holdMs > 0)) this.wakeUps.wake('webhooks');
    return { ...run, isPending };
  }

  /** A conversation with these tools begins: loads at once what the first use of one would wait for. */
  async prepare(tools: readonly AgentTool[]): Promise<void> {
    if (tools.some(({ mcp }) => mcp)) await this.mcp.prepare();
  }

  /** The conversation is over: closes its MCP sessions. */
  endConversation(conversationId: string): void {
    this.mcp.endConversation(conversationId);
  }

  private async runWaited(
    prepared: readonly PreparedAction[],
    account: Pick<Sending, 'accountId' | 'secrets'>,
    signal: AbortSignal,
  ): Promise<Done[]> {
    const endsAt = performance.now() + MAX_RUN_MS;
    const done: Done[] = [];
    for (const one of prepared) {
      if (!one.action.waitResponse) continue;
      const timeoutMs = Math.min(one.action.timeoutMs, endsAt - performance.now());
      done.push(await this.runOne(one, { ...account, timeoutMs }, signal));
    }
    return done;
  }

  private queuedDeliveries(
    prepared: PreparedAction[],
    invocationId: string,
    { accountId, call, redact }: InvocationContext,
  ): ToolDeliveryRecord[] {
    return prepared.flatMap(({ id, position, action, request, secrets }, index) => {
      if (action.waitResponse || request instanceof InvalidActionRequest) return [];
      const before = Math.min(MAX_RUN_MS, waitedMs(prepared.slice(0, index).map((one) => one.action)));
      const record = {
        id,
        account_id: accountId,
        call_id: call?.id ?? null,
        invocation_id: invocationId,
        sequence: position,
        method: request.method,
        url: request.url,
        host: new URL(request.url).host,
        headers_sealed: sealHeaders(this.encryption, request.headers) ?? null,
        body: request.body,
        hold_ms: before === 0 ? 0 : before + HOLD_SLACK_MS,
      };
      if (!redact && secrets.size === 0) return record;
      const { url, body } = openedRequest(request, secrets);
      const sealed = sealRequest(this.encryption, { url, body, ...(secrets.size > 0 && { digits: [...secrets] }) });
      return redactDelivery(redact, { ...record, request_sealed: sealed }, sealed);
    });
  }

  private async runOne(
    prepared: PreparedAction,
    rest: Omit<Sending, 'id' | 'request'>,
    signal: AbortSignal,
  ): Promise<Done> {
    const { id, request, secrets: digits } = prepared;
    if (request instanceof InvalidActionRequest) return refused(prepared, request);
    const attempt = await this.sender.send({ id, request, digits, ...rest }, signal);
    const { answer } = attempt;
    if ('error' in answer)
      return done(prepared, 'failed', { error: answer.error }, { ...attempt, error: answer.error });
    return done(prepared, 'succeeded', answer.value, attempt);
  }
}

const hasText = ({ request }: PreparedAction, text: string): boolean =>
  !(request instanceof InvalidActionRequest) &&
  [request.url, request.body, ...request.headers.map(({ value }) => value)].some(
    (part) => part.includes(text) || part.includes(encodeURIComponent(text)),
  );

function queuedOrRefused(prepared: PreparedAction): Done {
  if (prepared.request instanceof InvalidActionRequest) return refused(prepared, prepared.request);
  return done(prepared, 'queued', { queued: true });
}

const refused = (prepared: PreparedAction, { code, message }: InvalidActionRequest): Done =>
  done(prepared, 'failed', { error: { code, message } }, { error: { code, message } });

function done(
  { id, position, action, request }: PreparedAction,
  outcome: ActionOutcome['outcome'],
  value: unknown,
  attempt: Partial<Omit<Attempt, 'answer'>> & { error?: ActionError } = {},
): Done {
  const { name, method } = action;
  const { status = null, latencyMs = null, error = null, answerHead = null, requestHeaders = {} } = attempt;
  const url = request instanceof InvalidActionRequest ? action.url : request.url;
  return {
    outcome: { id, name, method, outcome, status, latencyMs, error },
    value,
    record: {
      id,
      position,
      action_id: action.id,
      name,
      method,
      url: url.replace(/[?#].*$/s, ''),
      outcome,
      at: new Date(Date.now() - (latencyMs ?? 0)).toISOString(),
      status,
      latency_ms: latencyMs,
      error,
      answer_head: answerHead,
      request_headers: requestHeaders,
    },
  };
}

function runOf(invocationId: string, tool: AgentTool, all: Done[]): ToolRun {
  const inOrder = all.toSorted((a, b) => a.record.position - b.record.position);
  const actions = inOrder.map(({ outcome }) => outcome);
  const ok = actions.every(({ outcome }) => outcome !== 'failed');
  const values = Object.fromEntries(inOrder.map(({ outcome, value }) => [outcome.name, value]));
  const assigned = ok ? assignmentsOf(tool, values) : undefined;
  return { invocationId, ok, result: capResult(values), actions, ...(assigned && { assigned }) };
}
