import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Clock } from '../../../clock.js';
import { modelProblem, type VendorServer, vendorServer } from '../../provider-settings.js';
import type { ModelKind } from '../leg-registry.js';
import type { ModelChoice } from '../pipeline-options.js';
import type { LanguageModel } from '../ports.js';
import { safeEndpoint, vendorFetch } from '../vendor-http.js';
import { compatibleReasoning, openAiReasoning } from './reasoning.js';
import { StreamedModel } from './streamed-model.js';

interface CompatibleOptions {
  /** With the model: `openai:<model>`. */
  name: string;
  server: VendorServer;
  model: string;
  choice: Pick<ModelChoice, 'temperature' | 'maxTokens'>;
  clock: Clock;
  reasoning: SharedV3ProviderOptions | undefined;
}

/** A server with OpenAI's chat completions. */
function compatibleModel({ name, server, model, choice, clock, reasoning }: CompatibleOptions): LanguageModel {
  const { url, queryParams } = baseOf(server.url);
  const { hostname } = new URL(url);
  const isOpenAi = OPENAI.test(hostname);
  const { headers } = safeEndpoint({ url, key: server.key });
  const vendor = createOpenAICompatible({
    name: 'compatible',
    baseURL: url,
    queryParams,
    headers,
    includeUsage: true,
    fetch: vendorFetch({ name }),
    transformRequestBody: isOpenAi ? openAiBody : undefined,
  });
  return new StreamedModel({
    name,
    url,
    key: server.key,
    clock,
    choice,
    // For example Ollama.
    ignoresToolChoice: !isOpenAi,
    thinksAloud: mayThinkAloud(hostname),
    model: vendor(model),
    reasoning,
  });
}

/** OpenAI's own servers and those of Azure. */
const OPENAI = /(?:^|\.)(?:openai\.com|azure\.com|azure\.us|azure\.cn|azure-api\.net)$/;

/** Whether answers of the server may begin with thoughts without an opening mark, which some servers write into the prompt. */
export function mayThinkAloud(hostname: string): boolean {
  return !OPENAI.test(hostname) && !MARKS_THOUGHTS.test(hostname);
}

/** Vendors that send thoughts apart from the text, or between two marks. */
const MARKS_THOUGHTS =
  /(?:^|\.)(?:anthropic\.com|deepseek\.com|generativelanguage\.googleapis\.com|groq\.com|mistral\.ai|openrouter\.ai|x\.ai)$/;

/** Newer models of OpenAI reject the name that all other servers know. */
function openAiBody({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit };
}

/** The base of the operator's address, which may name the operation and have a query (Azure's `api-version`). */
function baseOf(given: string): { url: string; queryParams?: Record<string, string> } {
  const { origin, pathname, searchParams } = new URL(given);
  const path = pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  const queryParams = searchParams.size > 0 ? { queryParams: Object.fromEntries(searchParams) } : {};
  return { url: origin + (path === '' ? '/v1' : path), ...queryParams };
}

/** OpenAI's own models. */
export const openAi: ModelKind = {
  problem: (choice, { settings }) => modelProblem('openai', choice, settings),
  open: (choice, { settings, clock }) => opened('openai', choice, vendorServer('openai', settings)!, clock),
};

/** Azure, Groq, Ollama, vLLM and other servers. */
export const openAiCompatible: ModelKind = {
  problem: (choice, { settings }) => modelProblem('compatible', choice, settings),
  open: (choice, { settings, clock }) =>
    opened('openai-compatible', choice, vendorServer('compatible', settings)!, clock),
};

function opened(vendor: string, choice: ModelChoice, server: VendorServer, clock: Clock): LanguageModel {
  const { model = 'sandbox', reasoningEffort } = choice;
  const reasoning =
    vendor === 'openai' ? openAiReasoning(model, reasoningEffort) : compatibleReasoning(reasoningEffort);
  return compatibleModel({ name: `${vendor}:${model}`, server, model, choice, clock, reasoning });
}
