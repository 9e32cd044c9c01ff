import { PatternBudget, PatternsTooLarge, UnusablePattern } from '@app/json-schema/patterns';
import { caseless } from '@app/voice/guardrails';
import { z } from 'zod';
import { coded, language, node, text } from '@app/common/field-schemas';

const MAX_RULES = 20;
const MAX_TOPICS = 50;
const MAX_DISCLOSURES = 50;

const spoken = (max: number) => text(max).trim().min(1, 'must not be empty');

const rule = node({
  name: text(64)
    .regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case, beginning with a lower-case letter')
    .describe('Name of the rule in events, figures and scenarios.'),
  on: z
    .enum(['user', 'agent', 'tool'], 'must be user, agent or tool')
    .describe('Whose words are judged: those of the other party, of the agent, or the name and arguments of a tool.'),
  pattern: text(500)
    .optional()
    .describe('Regular expression (RE2), without regard to case. One of `pattern`, `topics` and `policy` is needed.'),
  topics: z
    .array(spoken(100), 'must be a list of words')
    .min(1, 'must not be empty')
    .max(MAX_TOPICS, `must not be more than ${MAX_TOPICS}`)
    .optional()
    .describe("Words and phrases, compared by word stems in the agent's language."),
  policy: spoken(500)
    .optional()
    .describe('Sentence that the text model of the installation judges, such as "The agent promises a return."'),
  on_timeout: z
    .enum(['allow', 'block'], 'must be allow or block')
    .optional()
    .describe('Of a `policy`: what happens without a verdict within 400 ms; `allow` by default.'),
  action: z
    .enum(['block', 'replace', 'say', 'transfer', 'end', 'flag'], 'must be block, replace, say, transfer, end or flag')
    .describe('What happens when the rule applies.'),
  text: spoken(500)
    .optional()
    .describe(
      'Spoken by `replace` and `say`, and before `transfer` and `end`. Of a tool: the text that the model gets.',
    ),
}).superRefine((given, context) => {
  for (const [path, message] of faultsOf(given)) context.addIssue({ code: 'custom', path: [path], message });
});

type GivenRule = {
  on: 'user' | 'agent' | 'tool';
  action: string;
  pattern?: string;
  topics?: readonly string[];
  policy?: string;
  on_timeout?: string;
  text?: string;
};

/** The fields that make no sense together, and why. */
function faultsOf({ on, action, pattern, topics, policy, on_timeout, text: words }: GivenRule): [string, string][] {
  const faults: [string, string][] = [];
  const conditions = [pattern, topics, policy].filter((one) => one !== undefined).length;
  if (conditions !== 1) faults.push(['pattern', 'must be the only one of pattern, topics and policy']);
  if (on_timeout !== undefined && policy === undefined) faults.push(['on_timeout', 'needs a policy']);
  if (action === 'replace' && on === 'user') faults.push(['action', 'must not be replace for words of the user']);
  const needsText = action === 'say' || action === 'replace';
  if (needsText && words === undefined) faults.push(['text', `is required for ${action}`]);
  const isUseless = action === 'flag' || (action === 'block' && on !== 'tool');
  if (isUseless && words !== undefined) faults.push(['text', `must be absent for ${action}`]);
  return faults;
}

const rules = z
  .array(rule, 'must be a list of rules')
  .max(MAX_RULES, `must not be more than ${MAX_RULES}`)
  .superRefine((all, context) => {
    const budget = new PatternBudget();
    for (const [index, { pattern }] of all.entries()) {
      const problem = pattern === undefined ? undefined : patternProblem(budget, pattern);
      if (problem) context.addIssue({ code: 'custom', path: [index, 'pattern'], message: problem });
    }
  })
  .refine(
    (all) => new Set(all.map(({ name }) => name)).size === all.length,
    coded('duplicate', 'must not use a name twice'),
  );

function patternProblem(budget: PatternBudget, pattern: string): string | undefined {
  try {
    budget.compile(caseless(pattern));
    return undefined;
  } catch (error) {
    if (error instanceof UnusablePattern) return error.message;
    if (error instanceof PatternsTooLarge) return 'makes the patterns of the rules too large together';
    throw error;
  }
}

const disclosure = node({
  language: language.describe('Language of the sentence as a BCP 47 tag; it is spoken to calls in this language.'),
  prefix: text(16)
    .regex(/^\+[0-9]{1,15}$/, 'must be a prefix of E.164 numbers such as "+1"')
    .optional()
    .describe("Prefix of the other party's number; the longest one counts. Absent: all other numbers."),
  text: spoken(1_000).describe('Sentence, spoken as it is.'),
});

const keyOf = ({ language: tag, prefix = '' }: z.output<typeof disclosure>): string => `${tag.toLowerCase()} ${prefix}`;

/** The keys of an agent about what is said on its calls. */
export const guardrailKeys = {
  guardrails: rules
    .nullish()
    .describe('Rules about what is said and which tools run. The list replaces the stored one; null: none.'),
  disclosure: z
    .array(disclosure, 'must be a list of sentences')
    .max(MAX_DISCLOSURES, `must not be more than ${MAX_DISCLOSURES}`)
    .refine(
      (all) => new Set(all.map(keyOf)).size === all.length,
      coded('duplicate', 'must not have a language and prefix twice'),
    )
    .nullish()
    .describe(
      'Sentence that is spoken before everything else and cannot be interrupted, by language and number of the other party. The list replaces the stored one; null: none.',
    ),
};
