import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { extractReasoningMiddleware, wrapLanguageModel } from 'ai';
import type { Clock } from '../../../clock.js';
import { type VendorServer, vendorServer } from '../../provider-settings.js';
import type { ModelKind } from '../leg-registry.js';
import type { ModelChoice } from '../pipeline-options.js';
import type { LanguageModel } from '../ports.js';
import { safeEndpoint, vendorFetch } from './vendor-fetch.js';
import { StreamedModel } from './streamed-model.js';

interface CompatibleOptions {
  /** With the model: `openai:<model>`. */
  name: string;
  server: VendorServer;
  model: string;
  choice: Pick<ModelChoice, 'temperature' | 'maxTokens'>;
  clock: Clock;
}

/** A server with OpenAI's chat completions. */
function compatibleModel({ name, server, model, choice, clock }: CompatibleOptions): LanguageModel {
  const { url, queryParams } = baseOf(server.url);
  const isOpenAi = OPENAI.test(new URL(url).hostname);
  const { headers } = safeEndpoint({ url, key: server.key });
  const vendor = createOpenAICompatible({
    name: 'compatible',
    baseURL: url,
    queryParams,
    headers,
    includeUsage: true,
    fetch: vendorFetch({ name, url }),
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
    // Models on own servers often write their thoughts into the text, which would be spoken.
    model: wrapLanguageModel({ model: vendor(model), middleware: extractReasoningMiddleware({ tagName: 'think' }) }),
  });
}

/** OpenAI's own servers and those of Azure. */
const OPENAI = /(?:^|\.)(?:openai\.com|azure\.com|azure\.us|azure\.cn|azure-api\.net)$/;

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
  problem: ({ model }, { settings }) => {
    const server = vendorServer('openai', settings);
    if (!server) return 'The language model openai needs OPENAI_API_KEY, or OPENAI_URL for another server.';
    return (model ?? server.isSandbox) ? undefined : needsModel('openai');
  },
  open: (choice, { settings, clock }) => opened('openai', choice, vendorServer('openai', settings)!, clock),
};

/** Azure, Groq, Ollama, vLLM and other servers. */
export const openAiCompatible: ModelKind = {
  problem: ({ model }, { settings }) => {
    const server = vendorServer('compatible', settings);
    if (!server) return 'The language model openai-compatible needs COMPATIBLE_URL, the address of a server.';
    return (model ?? server.isSandbox) ? undefined : needsModel('openai-compatible');
  },
  open: (choice, { settings, clock }) =>
    opened('openai-compatible', choice, vendorServer('compatible', settings)!, clock),
};

function opened(vendor: string, choice: ModelChoice, server: VendorServer, clock: Clock): LanguageModel {
  const { model = 'sandbox' } = choice;
  return compatibleModel({ name: `${vendor}:${model}`, server, model, choice, clock });
}

const needsModel = (vendor: string): string => `The language model ${vendor} needs the name of a model in the agent.`;
