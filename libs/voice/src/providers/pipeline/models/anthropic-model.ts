import { createAnthropic } from '@ai-sdk/anthropic';
import { modelProblem, vendorServer } from '../../provider-settings.js';
import type { ModelKind } from '../leg-registry.js';
import { anthropicReasoning } from './reasoning.js';
import { StreamedModel } from './streamed-model.js';
import { vendorFetch } from '../vendor-http.js';

/** The API requires a limit; a spoken answer of this length takes a quarter of an hour. */
const MAX_TOKENS = 4_096;
/** Tools and instructions are the beginning of every request. Below the least length of the vendor's cache, this has no effect and no price. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export const anthropic: ModelKind = {
  problem: (choice, { settings }) => modelProblem('anthropic', choice, settings),
  open({ model = 'sandbox', ...choice }, { settings, clock }) {
    const { url, key = '' } = vendorServer('anthropic', settings)!;
    const name = `anthropic:${model}`;
    const vendor = createAnthropic({ baseURL: url, apiKey: key, fetch: vendorFetch({ name }) });
    const reasoning = anthropicReasoning(model, choice.reasoningEffort);
    return new StreamedModel({
      name,
      url,
      key,
      clock,
      choice: { temperature: choice.temperature, maxTokens: choice.maxTokens ?? MAX_TOKENS },
      model: vendor(model),
      prefixOptions: CACHED,
      reasoning,
      needsThoughts: JSON.stringify(reasoning ?? {}).includes('budgetTokens'),
    });
  },
};
