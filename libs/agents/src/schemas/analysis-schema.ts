import { REASONING_EFFORTS } from '@app/common';
import type { JsonSchema } from '@app/json-schema';
import { z } from 'zod';
import { type AnalysisSettings, extractProblems, RUBRIC_TYPES } from '../domain/analysis-settings.js';
import { readFields } from '@app/accounts';
import { coded, node, reportMissing, text } from '@app/common/field-schemas';

const MODELS = ['openai', 'openai-compatible', 'anthropic', 'google'] as const;
const MAX_QUESTIONS = 20;
const MAX_OPTIONS = 20;

const question = node({
  name: text(64)
    .regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case, beginning with a lower-case letter')
    .describe('Name of the answer.'),
  question: text(500).trim().min(1, 'must not be empty').describe('The question about the call.'),
  type: z
    .enum(RUBRIC_TYPES, `must be one of ${RUBRIC_TYPES.join(', ')}`)
    .describe('Type of the answer. A score is a whole number from 1 (worst) to 5 (best).'),
  options: z
    .array(text(100).trim().min(1, 'must not be empty'), 'must be a list of texts')
    .min(2, 'must be at least two')
    .max(MAX_OPTIONS, `must not be more than ${MAX_OPTIONS}`)
    .refine((options) => new Set(options).size === options.length, coded('duplicate', 'must not name an option twice'))
    .optional()
    .describe('The possible answers of the type `enum`.'),
}).superRefine(({ type, options }, context) => {
  if (type === 'enum' && !options) reportMissing(context, 'options');
  if (type !== 'enum' && options)
    context.addIssue({
      code: 'custom',
      path: ['options'],
      message: 'is for the type enum only',
      params: { code: 'not_allowed' },
    });
});

/** The fields of an analysis, of which a request may replace some. */
export const analysisChange = node({
  extract: z
    .record(z.string(), z.unknown(), 'must be an object: a JSON Schema')
    .nullish()
    .describe(
      'JSON Schema of the values, with `type: object`; the limits are those of tool parameters. Each value may end as null: required properties are not enforced.',
    ),
  rubric: z
    .array(question, 'must be a list of questions')
    .max(MAX_QUESTIONS, `must not be more than ${MAX_QUESTIONS}`)
    .refine(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      coded('duplicate', 'must not use a name twice'),
    )
    .nullish()
    .describe('Questions about the call.'),
  summary_prompt: text(2_000).trim().nullish().describe('How to sum up the call. Absent: no summary.'),
  model: node({
    provider: z
      .enum(MODELS, `must be one of ${MODELS.join(', ')}`)
      .describe('Vendor of the model, with the key and the address of the installation.'),
    model: text(200).trim().min(1, 'must not be empty').describe('Name of the model.'),
    reasoning_effort: z
      .enum(REASONING_EFFORTS, `must be one of ${REASONING_EFFORTS.join(', ')}`)
      .optional()
      .describe('How long the model thinks. Absent: the least that it accepts.'),
  })
    .nullish()
    .describe(
      'The text model. Absent: that of the installation (`ANALYSIS_MODEL`). Without a configured model, rules read the call.',
    ),
})
  .transform(withoutEmpty)
  .superRefine((settings, context) => {
    for (const [path, message] of extractProblems(settings))
      context.addIssue({ code: 'custom', path: ['extract', ...path], message });
  });

/** Replaces the stored analysis as a whole. */
export const analysis = analysisChange.refine((one) => one.extract || one.rubric || one.summary_prompt !== undefined, {
  error: 'must have extract, rubric or summary_prompt',
});

interface GivenAnalysis {
  extract?: JsonSchema | null;
  rubric?: AnalysisSettings['rubric'] | null;
  summary_prompt?: string | null;
  model?: AnalysisSettings['model'] | null;
}

function withoutEmpty({ extract, rubric, summary_prompt: summary, model }: GivenAnalysis): AnalysisSettings {
  return {
    ...(extract ? { extract } : {}),
    ...(rubric && rubric.length > 0 ? { rubric } : {}),
    ...(summary ? { summary_prompt: summary } : {}),
    ...(model ? { model } : {}),
  };
}

/** A whole analysis. Throws InvalidFields. */
export const readAnalysis = (value: unknown): { fields: AnalysisSettings; ignored: string[] } =>
  readFields(analysis, value);
