import { newId } from '@app/common';
import { sealHeaders, type ToolDeliveryRecord } from '@app/webhooks';
import { argumentProblems } from '../schema/argument-problems.js';
import type { AgentTool, ToolAction } from '../tool.js';
import { UnusableRequest } from './action-request.js';
import type { ActionError, ActionOutcome, InvocationContext, ToolRun } from './invocation.js';
import { type AttemptRecord, type BegunInvocation, beginInvocation, endInvocation } from './invocation-rows.js';
import { prepare, type Prepared } from './prepare.js';
import { cappedResult } from './result.js';
import { type Attempt, sendAction, type Sending, type ToolRunParts } from './send-action.js';

/** All actions of a tool that are waited for, together. */
const LONGEST_RUN_MS = 120_000;
/** After the last of them a process has had all the time it needs to say that what was queued may go. */
const HOLD_SLACK_MS = 5_000;

/** How long a run may take: its actions run one after the other. */
export const runLimitMs = ({ actions }: Pick<AgentTool, 'actions'>): number =>
  Math.min(LONGEST_RUN_MS, waitedMs(actions));

const waitedMs = (actions: readonly ToolAction[]): number =>
  actions.reduce((sum, { waitResponse, timeoutMs }) => sum + (waitResponse ? timeoutMs : 0), 0);

/** An action that is through. */
interface Done {
  outcome: ActionOutcome;
  /** For the model. */
  value: unknown;
  record: AttemptRecord;
}

/**
 * Runs a tool: its actions in list order, those that are waited for one after the other whatever became of the one before, the
 * others by the outbox, after those before them in the list. The invocation is recorded before anything is sent. What endpoints
 * do is a result; the signal ends the waiting, and what was not sent by then is not sent.
 * @throws when the database or the sealed headers cannot be read: then nothing was sent.
 */
export async function runTool(
  parts: ToolRunParts,
  tool: AgentTool,
  args: Record<string, unknown>,
  context: InvocationContext,
  signal: AbortSignal,
): Promise<ToolRun> {
  const begun = { id: newId(), tool, args, context };
  const problems = argumentProblems(tool.parameters, args);
  if (problems) return refuse(parts, begun, problems);
  const secrets = await parts.secrets.of(context.accountId);
  const prepared = prepare(parts.encryption, tool, args, context);
  const queued = prepared.filter(({ action }) => !action.waitResponse).map((one) => queuedOrRefused(one));
  const deliveries = queuedDeliveries(parts, prepared, begun.id, context);
  const attempts = queued.map(({ record }) => record);
  await beginInvocation(parts.pool, { ...begun, queued: deliveries, attempts });
  if (deliveries.some(({ hold_ms: holdMs }) => holdMs === 0)) parts.wakeWebhooks();

  const waited = await runWaited(parts, prepared, { accountId: context.accountId, secrets }, signal);
  const run = runOf(begun.id, [...waited, ...queued]);
  await recordEnd(parts, run, waited);
  if (deliveries.some(({ hold_ms: holdMs }) => holdMs > 0)) parts.wakeWebhooks();
  return run;
}

async function refuse(
  parts: ToolRunParts,
  begun: Pick<BegunInvocation, 'id' | 'tool' | 'args' | 'context'>,
  problems: string[],
): Promise<ToolRun> {
  const error: ActionError = { code: 'invalid_arguments', message: `${problems.join('. ')}.` };
  const run = { invocationId: begun.id, ok: false, result: { error }, actions: [], problems };
  await beginInvocation(parts.pool, { ...begun, queued: [], attempts: [] });
  await recordEnd(parts, run, []);
  return run;
}

async function runWaited(
  parts: ToolRunParts,
  prepared: readonly Prepared[],
  account: Pick<Sending, 'accountId' | 'secrets'>,
  signal: AbortSignal,
): Promise<Done[]> {
  const endsAt = performance.now() + LONGEST_RUN_MS;
  const done: Done[] = [];
  for (const one of prepared) {
    if (!one.action.waitResponse) continue;
    const timeoutMs = Math.min(one.action.timeoutMs, endsAt - performance.now());
    done.push(await runOne(parts, one, { ...account, timeoutMs }, signal));
  }
  return done;
}

function queuedDeliveries(
  parts: Pick<ToolRunParts, 'encryption'>,
  prepared: Prepared[],
  invocationId: string,
  { accountId, call }: InvocationContext,
): ToolDeliveryRecord[] {
  return prepared.flatMap(({ id, position, action, request }, index) => {
    if (action.waitResponse || request instanceof UnusableRequest) return [];
    const before = Math.min(LONGEST_RUN_MS, waitedMs(prepared.slice(0, index).map((one) => one.action)));
    return {
      id,
      account_id: accountId,
      call_id: call?.id ?? null,
      invocation_id: invocationId,
      sequence: position,
      method: request.method,
      url: request.url,
      host: new URL(request.url).host,
      headers_sealed: sealHeaders(parts.encryption, request.headers) ?? null,
      body: request.body,
      hold_ms: before === 0 ? 0 : before + HOLD_SLACK_MS,
    };
  });
}

function queuedOrRefused(prepared: Prepared): Done {
  if (prepared.request instanceof UnusableRequest) return refused(prepared, prepared.request);
  return done(prepared, 'queued', { queued: true });
}

async function runOne(
  parts: ToolRunParts,
  prepared: Prepared,
  rest: Omit<Sending, 'id' | 'request'>,
  signal: AbortSignal,
): Promise<Done> {
  const { id, request } = prepared;
  if (request instanceof UnusableRequest) return refused(prepared, request);
  const attempt = await sendAction(parts, { id, request, ...rest }, signal);
  const { answer } = attempt;
  if ('error' in answer) return done(prepared, 'failed', { error: answer.error }, { ...attempt, error: answer.error });
  return done(prepared, 'succeeded', answer.value, attempt);
}

const refused = (prepared: Prepared, { code, message }: UnusableRequest): Done =>
  done(prepared, 'failed', { error: { code, message } }, { error: { code, message } });

function done(
  { id, position, action, request }: Prepared,
  outcome: ActionOutcome['outcome'],
  value: unknown,
  attempt: Partial<Omit<Attempt, 'answer'>> & { error?: ActionError } = {},
): Done {
  const { name, method } = action;
  const { status = null, latencyMs = null, error = null, answerHead = null, requestHeaders = {} } = attempt;
  const url = request instanceof UnusableRequest ? action.url : request.url;
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

function runOf(invocationId: string, all: Done[]): ToolRun {
  const inOrder = all.toSorted((a, b) => a.record.position - b.record.position);
  const actions = inOrder.map(({ outcome }) => outcome);
  return {
    invocationId,
    ok: actions.every(({ outcome }) => outcome !== 'failed'),
    result: cappedResult(Object.fromEntries(inOrder.map(({ outcome, value }) => [outcome.name, value]))),
    actions,
  };
}

/** The conversation goes on with what the endpoints said, also when that cannot be written down. */
async function recordEnd(parts: ToolRunParts, run: ToolRun, waited: Done[]): Promise<void> {
  const attempts = waited.map(({ record }) => record);
  try {
    await endInvocation(parts.pool, run, attempts);
  } catch (err) {
    parts.log.error({ err, invocation_id: run.invocationId }, 'the end of an invocation could not be recorded');
  }
}
