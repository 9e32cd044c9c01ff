import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ReasoningEffort } from '@app/common';

/** The options of a request; undefined: the vendor's default, which every model accepts. */
type ReasoningOptions = SharedV3ProviderOptions | undefined;

/** Models of OpenAI that think unless a request says otherwise, and the least that they accept. Other names may refuse the option. */
const OPENAI_LEAST: [RegExp, ReasoningEffort][] = [
  [/^gpt-5\.\d+(?:-(?:mini|nano))?(?:-\d{4}-\d\d-\d\d)?$/, 'none'],
  [/^gpt-5(?:-(?:mini|nano))?(?:-\d{4}-\d\d-\d\d)?$/, 'minimal'],
  [/^o\d(?:-mini)?(?:-\d{4}-\d\d-\d\d)?$/, 'low'],
];

/** Chat completions have the option under this name. */
const asEffort = (reasoningEffort: ReasoningEffort): SharedV3ProviderOptions => ({ compatible: { reasoningEffort } });

export function openAiReasoning(model: string, effort: ReasoningEffort | undefined): ReasoningOptions {
  const chosen = effort ?? OPENAI_LEAST.find(([pattern]) => pattern.test(model))?.[1];
  return chosen && asEffort(chosen);
}

/** The models of own servers have no common default. */
export const compatibleReasoning = (effort: ReasoningEffort | undefined): ReasoningOptions =>
  effort && asEffort(effort);

const ANTHROPIC_BUDGETS = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384 } as const;
/** These measure the length of their thoughts themselves, by the effort. */
const ADAPTIVE = /claude-[a-z]+-(?:[5-9]|4-[6-9])/;
/** These always think. */
const ALWAYS_THINKS = /claude-(?:(?:opus|sonnet)-5-5|fable-)/;

export function anthropicReasoning(model: string, effort: ReasoningEffort | undefined): ReasoningOptions {
  if (ALWAYS_THINKS.test(model) && (effort === undefined || effort === 'none')) return { anthropic: { effort: 'low' } };
  // Others think only on request.
  if (effort === undefined) return undefined;
  if (effort === 'none') return { anthropic: { thinking: { type: 'disabled' } } };
  if (!ADAPTIVE.test(model)) {
    return { anthropic: { thinking: { type: 'enabled', budgetTokens: ANTHROPIC_BUDGETS[effort] } } };
  }
  return { anthropic: { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort } };
}

const GEMINI_BUDGETS = { none: 0, minimal: 512, low: 1_024, medium: 8_192, high: 24_576 } as const;
/** The least of models that cannot stop thinking. */
const GEMINI_PRO_LEAST = 128;

export function googleReasoning(model: string, effort: ReasoningEffort | undefined): ReasoningOptions {
  const isPro = /-pro/.test(model);
  if (/gemini-2\.5/.test(model)) {
    const budget = GEMINI_BUDGETS[effort ?? 'none'];
    return { google: { thinkingConfig: { thinkingBudget: isPro ? Math.max(GEMINI_PRO_LEAST, budget) : budget } } };
  }
  // Older models refuse the option.
  if (effort === undefined && !/gemini-(?:[3-9]|\d\d)/.test(model)) return undefined;
  const least = effort === undefined || effort === 'none' || effort === 'minimal';
  return { google: { thinkingConfig: { thinkingLevel: least ? (isPro ? 'low' : 'minimal') : effort } } };
}
