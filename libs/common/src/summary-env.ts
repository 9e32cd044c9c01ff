import { z } from 'zod';

/** What each variable must look like, said when it does not. */
export const SUMMARY_EXAMPLES: Record<string, string> = {
  SUMMARY_MODEL: 'gpt-5.1-mini',
  SUMMARY_URL: 'http://ollama:11434/v1',
  SUMMARY_API_KEY: 'the key of that endpoint',
};

/** Who sums up calls that are over. */
export const summaryVariables = z.object({
  /** Absent: the summary is made of the call's own facts, without a model. */
  SUMMARY_MODEL: z.string().optional(),
  /** Base (`…/v1`) or full address (`…/chat/completions`, `…/responses`) of an OpenAI-compatible endpoint. Absent: OpenAI's own. */
  SUMMARY_URL: z
    .url()
    .regex(/^https?:\/\//, 'must start with http:// or https://')
    .optional(),
  /** Absent: OPENAI_API_KEY. */
  SUMMARY_API_KEY: z.string().optional(),
});

export type SummaryEnv = z.output<typeof summaryVariables> & { OPENAI_API_KEY?: string };
