import type { SummaryEnv } from '@app/common';
import { Egress, type EgressResponse } from '@app/egress';
import type { SessionEvent, UsageItem } from '@app/voice';
import { readSummary, summaryRequest, type SummaryFormat, type SummaryUsage } from './summary-format.js';
import { toldCall } from './told-call.js';

/** The end of a call waits for its summary, so that one transaction can tell both. */
const TIMEOUT_MS = 8_000;
const MAX_ANSWER_BYTES = 256 * 1024;

export interface ModelSummary {
  text: string;
  /** What it cost, as the endpoint reports it; empty when it does not. */
  usage: UsageItem[];
}

/** The endpoint gave no summary. The message is a sentence without anything of the call. */
class SummaryFailed extends Error {}

const OPENAI = 'https://api.openai.com/v1';

/**
 * Summaries of calls by a text model behind an OpenAI-compatible endpoint. The operator configured its address, so that it may
 * be an inside one without EGRESS_ALLOW_CIDRS, which is for addresses that users give.
 */
export class SummaryModel {
  private readonly egress = new Egress({ allowCidrs: ['0.0.0.0/0', '::/0'], httpsOnly: false });
  private readonly url: URL;
  private readonly format: SummaryFormat;
  private readonly headers: Record<string, string>;

  /** Undefined: no model is configured. */
  static of(env: SummaryEnv): SummaryModel | undefined {
    const { SUMMARY_MODEL: model, SUMMARY_URL: url = OPENAI } = env;
    return model ? new SummaryModel(model, url, env.SUMMARY_API_KEY ?? env.OPENAI_API_KEY) : undefined;
  }

  constructor(
    private readonly model: string,
    url: string,
    key: string | undefined,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.url = endpointOf(url);
    this.format = this.url.pathname.endsWith('/responses') ? 'responses' : 'chat';
    this.headers = headersOf(this.url, key);
  }

  /** Undefined: nobody said anything that could be summed up. @throws SummaryFailed after 8 s at most, or the signal's reason. */
  async summarise(
    events: SessionEvent[],
    farEnd: 'callee' | 'caller',
    signal?: AbortSignal,
  ): Promise<ModelSummary | undefined> {
    const call = toldCall(events, farEnd);
    if (call === undefined) return undefined;
    const response = await this.ask(JSON.stringify(summaryRequest(this.format, this.model, call)), signal);
    if (response.status !== 200) throw new SummaryFailed(`The summary endpoint answered ${response.status}.`);
    const read = response.truncated ? undefined : readSummary(this.format, response.body.toString('utf8'));
    if (!read) throw new SummaryFailed('The summary endpoint gave no text.');
    return { text: read.text, usage: this.billed(read.usage) };
  }

  close(): Promise<void> {
    return this.egress.close();
  }

  private async ask(body: string, signal?: AbortSignal): Promise<EgressResponse> {
    const { headers, timeoutMs: totalTimeoutMs } = this;
    try {
      return await this.egress.request(this.url.href, {
        method: 'POST',
        headers,
        body,
        signal,
        totalTimeoutMs,
        maxBodyBytes: MAX_ANSWER_BYTES,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new SummaryFailed('The summary endpoint gave no answer in time.', { cause: error });
    }
  }

  private billed({ input, cached, output }: SummaryUsage): UsageItem[] {
    const unit = 'thousand_tokens';
    const source = `summary:${this.model}`;
    const items: UsageItem[] = [
      { kind: 'input_text_tokens', quantity: (input - cached) / 1_000, unit, source },
      { kind: 'cached_text_tokens', quantity: cached / 1_000, unit, source },
      { kind: 'output_text_tokens', quantity: output / 1_000, unit, source },
    ];
    return items.filter(({ quantity }) => quantity > 0);
  }
}

/** The address as it is when it names an operation, else that of chat completions below the base. */
function endpointOf(given: string): URL {
  const url = new URL(given);
  const path = url.pathname.replace(/\/+$/, '');
  if (!/\/(?:chat\/completions|responses)$/.test(path)) url.pathname = `${path === '' ? '/v1' : path}/chat/completions`;
  return url;
}

/** Azure takes a key as `api-key`; a bearer there would be a token of Entra ID. */
function headersOf(url: URL, key: string | undefined): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (!key) return headers;
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(url.hostname)) return { ...headers, 'api-key': key };
  return { ...headers, authorization: `Bearer ${key}` };
}
