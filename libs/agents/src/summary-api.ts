import { z } from 'zod';
import { SUMMARY_TASK } from './summary-prompt.js';

/** The two APIs of OpenAI-compatible servers: chat completions and responses. */
export type SummaryFormat = 'chat' | 'responses';

export interface SummaryUsage {
  input: number;
  /** Part of `input`. */
  cached: number;
  output: number;
}

/** Longer summaries are truncated. */
const LONGEST_SUMMARY = 4_000;

/** Without token limit and temperature: some models refuse the parameter names of others. */
export const summaryRequest = (format: SummaryFormat, model: string, call: string): Record<string, unknown> =>
  format === 'chat'
    ? {
        model,
        messages: [
          { role: 'system', content: SUMMARY_TASK },
          { role: 'user', content: call },
        ],
      }
    : { model, instructions: SUMMARY_TASK, input: call, store: false };

/** Implausible numbers count as zero. */
const tokens = z.number().int().nonnegative().max(1_000_000_000).catch(0);

const chatResponse = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      prompt_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

const responsesResponse = z.object({
  output: z.array(z.object({ type: z.string(), content: z.unknown().optional() })),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      input_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

const textParts = z.array(z.object({ type: z.literal('output_text'), text: z.string() })).catch([]);

/** Undefined when the response has no text. */
export function readSummary(format: SummaryFormat, body: string): { text: string; usage: SummaryUsage } | undefined {
  const read = format === 'chat' ? readChat(parsed(body)) : readResponses(parsed(body));
  const text = read?.text.trim().slice(0, LONGEST_SUMMARY);
  if (!read || !text) return undefined;
  const { input, cached, output } = read.usage;
  return { text, usage: { input, cached: Math.min(cached, input), output } };
}

function readChat(answer: unknown) {
  const { data } = chatResponse.safeParse(answer);
  if (!data) return undefined;
  const { usage } = data;
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    text: data.choices[0]?.message.content ?? '',
    usage: { input: usage?.prompt_tokens ?? 0, cached, output: usage?.completion_tokens ?? 0 },
  };
}

function readResponses(answer: unknown) {
  const { data } = responsesResponse.safeParse(answer);
  if (!data) return undefined;
  const { usage } = data;
  const messages = data.output.filter(({ type }) => type === 'message');
  const cached = usage?.input_tokens_details?.cached_tokens ?? 0;
  return {
    text: messages.flatMap(({ content }) => textParts.parse(content).map(({ text }) => text)).join(''),
    usage: { input: usage?.input_tokens ?? 0, cached, output: usage?.output_tokens ?? 0 },
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
