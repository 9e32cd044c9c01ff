import { type AgentOverrides } from '@app/agents';
import {
  type ChosenAgent,
  chosenAgentOf,
  InvalidPreCallAnswer,
  type OwnedCall,
  type PreCallAnswer,
  preCallBody,
  type PreCallOutcome,
  type PreCallResult,
  readPreCallAnswer,
  storedOverrides,
} from '@app/calls';
import { deriveId, Encryption, type Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { ActionSenderService, type Attempt } from '@app/tools';
import { openHeaders, SigningSecretsService, type StoredWebhook } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { type CallContext, CallContextService } from './call-context.service.js';
import { CallRecordsService } from './call-records.service.js';

/** A caller hears the ringing, and a dialled call occupies its place in the dialer, for so long at most. */
const TIMEOUT_MS = 3_000;

/** The call goes on with `context`, or ends. Undefined: it belongs to another dialer, has ended, or is being stopped. */
type Prepared = { context: CallContext } | { skipped: true } | undefined;

/** The result of one request to the webhook. */
interface Asked {
  result: PreCallResult;
  attempt: Attempt;
  /** Why there is no valid answer; null: there is one. */
  error: string | null;
}

/** Nothing was sent: `on_error` of the webhook decides about the call. */
const UNREADABLE: Attempt = {
  answer: {
    error: { code: 'not_signed', message: 'The headers or the signing secret of the webhook cannot be read.' },
  },
  status: null,
  latencyMs: null,
  answerHead: null,
  requestHeaders: {},
};

/** The webhook of an agent that decides about each call before it is dialled or answered. */
@Injectable()
export class PreCallService {
  constructor(
    private readonly contexts: CallContextService,
    private readonly records: CallRecordsService,
    private readonly sender: ActionSenderService,
    private readonly secrets: SigningSecretsService,
    private readonly encryption: Encryption,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The webhook of the call has to be asked: no dialer has stored an outcome yet. */
  isDue({ pre_call_webhook: webhook, settings }: CallContext): boolean {
    return webhook !== null && settings.pre_call === undefined;
  }

  /**
   * Asks the webhook and stores its answer with the call, which is then read again. After a crash of the dialer, the next one continues
   * with the stored answer; without one, it repeats the request with the same id. `signal`: the call is being stopped.
   */
  async prepare(call: OwnedCall, context: CallContext, signal: AbortSignal): Promise<Prepared> {
    if (context.settings.pre_call?.outcome === 'skipped') return { skipped: true };
    if (!this.isDue(context)) return { context };
    const asked = await this.ask(context, signal);
    if (signal.aborted) return undefined;
    if (!(await this.store(call, context, asked))) return undefined;
    if (asked.result.outcome.outcome === 'skipped') return { skipped: true };
    const stored = await this.records.contextOfQueued(call);
    return stored && { context: stored };
  }

  private async ask(context: CallContext, signal: AbortSignal): Promise<Asked> {
    const attempt = await this.request(context, signal);
    const { answer } = attempt;
    if ('error' in answer) return this.failed(context, attempt, answer.error.message);
    try {
      const chosen = await this.chosenAgent(context, answer.value);
      const read = readPreCallAnswer(answer.value, chosen?.variables ?? context.agent_variables);
      if (read.skip !== undefined) return { attempt, result: resultOf(read), error: null };
      const agent = chosen ? { ...context, agent_id: chosen.agentId } : context;
      await this.contexts.requireSelection(agent, read.overrides ?? {});
      return { attempt, result: { ...resultOf(read), chosen }, error: null };
    } catch (error) {
      if (!(error instanceof InvalidPreCallAnswer)) throw error;
      return this.failed(context, attempt, error.message);
    }
  }

  /** The agent that the answer names for an inbound call. @throws InvalidPreCallAnswer */
  private async chosenAgent(context: CallContext, answer: unknown): Promise<ChosenAgent | undefined> {
    const agentId = chosenAgentOf(answer, context.direction);
    if (agentId === undefined || agentId === context.agent_id) return undefined;
    const chosen = await this.records.chosenAgent(context, agentId);
    if (!chosen) throw new InvalidPreCallAnswer(`The account has no active agent ${agentId}.`);
    return chosen;
  }

  private async request(context: CallContext, signal: AbortSignal): Promise<Attempt> {
    const webhook = context.pre_call_webhook;
    if (!webhook) throw new Error('The agent of the call has no pre-call webhook.');
    const { url, method } = webhook;
    const id = deliveryId(context);
    const opened = await this.open(context, webhook);
    if (!opened) return UNREADABLE;
    const { headers, secrets } = opened;
    const request = { url, method: method as 'POST', headers, body: preCallBody(id, context) };
    return this.sender.send({ id, accountId: context.account_id, request, timeoutMs: TIMEOUT_MS, secrets }, signal);
  }

  /** Undefined: they cannot be read, for example because SECRET_KEY is not that of the restored database. */
  private async open({ id, account_id: accountId }: CallContext, { headers_sealed: sealed }: StoredWebhook) {
    try {
      return { headers: openHeaders(this.encryption, sealed), secrets: await this.secrets.of(accountId) };
    } catch (err) {
      this.log.error({ err, call_id: id }, 'the request to a pre-call webhook could not be prepared');
      return undefined;
    }
  }

  private failed({ id, pre_call_webhook: webhook }: CallContext, attempt: Attempt, reason: string): Asked {
    const outcome: PreCallOutcome['outcome'] = webhook?.on_error === 'skip' ? 'skipped' : 'failed';
    this.log.warn({ call_id: id, outcome, reason }, 'a pre-call webhook failed');
    return { attempt, result: { outcome: { outcome, reason } }, error: reason };
  }

  private store(call: OwnedCall, context: CallContext, { result, attempt, error }: Asked): Promise<boolean> {
    const webhook = context.pre_call_webhook;
    if (!webhook) return Promise.resolve(false);
    const { answer, status, latencyMs, answerHead, requestHeaders } = attempt;
    const id = deliveryId(context);
    const isBlocked = 'error' in answer && answer.error.code === 'blocked_address';
    return this.records.recordPreCall(call, result, {
      id,
      accountId: context.account_id,
      callId: context.id,
      target: webhook,
      body: preCallBody(id, context),
      createdAt: new Date(),
      state: 'value' in answer ? 'delivered' : isBlocked ? 'refused' : 'dead',
      status,
      error,
      latencyMs: latencyMs ?? 0,
      responseHead: answerHead,
      requestHeaders,
    });
  }
}

/** The same for every request about a call, so that the receiver recognises a repetition. */
const deliveryId = ({ id }: CallContext): string => deriveId(id, 'pre-call');

function resultOf({ variables, overrides = {}, skip }: PreCallAnswer): PreCallResult {
  if (skip !== undefined) return { outcome: { outcome: 'skipped', reason: skip } };
  const { knowledge_base_ids: knowledgeBaseIds, ...agent }: AgentOverrides = overrides;
  return {
    outcome: { outcome: 'continued' },
    variables,
    agent: storedOverrides(agent).agent,
    knowledgeBaseIds: knowledgeBaseIds ?? undefined,
  };
}
