import type { SummaryEnv } from '@app/common';
import { Egress, type EgressResponse } from '@app/egress';
import { ENV } from '@app/settings';
import type { SessionEvent, UsageItem } from '@app/voice';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { readSummary, type SummaryFormat, summaryRequest, type SummaryUsage } from './summary-api.js';
import { conversationRecord } from './summary-prompt.js';

/** The end of a call waits this long for its summary, so that one transaction stores both. */
const TIMEOUT_MS = 8_000;
const MAX_RESPONSE_BYTES = 256 * 1024;
const OPENAI = 'https://api.openai.com/v1';

export interface ModelSummary {
  text: string;
  /** The tokens that the endpoint reports; empty when it reports none. */
  usage: UsageItem[];
}

interface SummaryOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The endpoint returned no summary. The message contains nothing of the call. */
class SummaryFailed extends Error {}

/**
 * Summarises calls with a text model behind an OpenAI-compatible endpoint. It has its own Egress: the operator configures the address, so
 * it may be a private one without EGRESS_ALLOW_CIDRS, which restricts addresses that users configure.
 */
@Injectable()
export class SummaryModel implements OnApplicationShutdown {
  private readonly egress = new Egress({ allowCidrs: ['0.0.0.0/0', '::/0'], httpsOnly: false });
  private readonly model: string | undefined;
  private readonly url: URL;
  private readonly format: SummaryFormat;
  private readonly headers: Record<string, string>;

  constructor(@Inject(ENV) env: SummaryEnv) {
    this.model = env.SUMMARY_MODEL;
    this.url = endpointOf(env.SUMMARY_URL ?? OPENAI);
    this.format = this.url.pathname.endsWith('/responses') ? 'responses' : 'chat';
    this.headers = headersOf(this.url, env.SUMMARY_API_KEY ?? env.OPENAI_API_KEY);
  }

  /** Undefined when no model is configured, or the call has no spoken turn. @throws SummaryFailed, or the signal's reason. */
  async summarise(
    events: SessionEvent[],
    remoteParty: 'callee' | 'caller',
    options: SummaryOptions = {},
  ): Promise<ModelSummary | undefined> {
    const { model } = this;
    const call = model ? conversationRecord(events, remoteParty) : undefined;
    if (!model || call === undefined) return undefined;
    const response = await this.request(JSON.stringify(summaryRequest(this.format, model, call)), options);
    if (response.status !== 200) throw new SummaryFailed(`The summary endpoint answered ${response.status}.`);
    const read = response.truncated ? undefined : readSummary(this.format, response.body.toString('utf8'));
    if (!read) throw new SummaryFailed('The summary endpoint gave no text.');
    return { text: read.text, usage: usageOf(model, read.usage) };
  }

  /** Last of all modules: calls that end during the shutdown are summarised as well. */
  onApplicationShutdown(): Promise<void> {
    return this.egress.close();
  }

  private async request(
    body: string,
    { signal, timeoutMs: totalTimeoutMs = TIMEOUT_MS }: SummaryOptions,
  ): Promise<EgressResponse> {
    try {
      return await this.egress.request(this.url.href, {
        method: 'POST',
        headers: this.headers,
        body,
        signal,
        totalTimeoutMs,
        maxBodyBytes: MAX_RESPONSE_BYTES,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new SummaryFailed('The summary endpoint gave no answer in time.', { cause: error });
    }
  }
}

function usageOf(model: string, { input, cached, output }: SummaryUsage): UsageItem[] {
  const unit = 'thousand_tokens';
  const source = `summary:${model}`;
  const items: UsageItem[] = [
    { kind: 'input_text_tokens', quantity: (input - cached) / 1_000, unit, source },
    { kind: 'cached_text_tokens', quantity: cached / 1_000, unit, source },
    { kind: 'output_text_tokens', quantity: output / 1_000, unit, source },
  ];
  return items.filter(({ quantity }) => quantity > 0);
}

/** The URL itself when it names an operation, else that of chat completions below it. */
function endpointOf(given: string): URL {
  const url = new URL(given);
  const path = url.pathname.replace(/\/+$/, '');
  if (!/\/(?:chat\/completions|responses)$/.test(path)) url.pathname = `${path === '' ? '/v1' : path}/chat/completions`;
  return url;
}

/** Azure expects keys as `api-key`; a bearer token there is one of Entra ID. */
function headersOf(url: URL, key: string | undefined): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (!key) return headers;
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(url.hostname)) return { ...headers, 'api-key': key };
  return { ...headers, authorization: `Bearer ${key}` };
}
