import {
  asLines,
  type FormShape,
  given,
  isJsonObject,
  type JsonObject,
  linesOf,
  notShown,
  onlyKeys,
  stateOr,
  textIn,
} from './form-or-json.js';
import { EMPTY_SCHEMA, SCHEMA_FORM, type SchemaState } from './schema-form.js';

export const QUESTION_TYPES = [
  ['boolean', 'Yes or no'],
  ['score', 'Score, 1 to 5'],
  ['enum', 'One of several answers'],
] as const;

/** A question of the rubric, as typed. */
export interface QuestionRow {
  key: number;
  name: string;
  question: string;
  type: (typeof QUESTION_TYPES)[number][0];
  /** One answer per line. */
  options: string;
}

export interface AnalysisState {
  extract: SchemaState;
  /** Whether `extract` was there: an empty schema differs from none. */
  hasExtract: boolean;
  rubric: readonly QuestionRow[];
  hasRubric: boolean;
  summaryPrompt: string;
  model: { provider: string; model: string; effort: string };
}

export const newQuestion = (key: number): QuestionRow => ({
  key,
  name: '',
  question: '',
  type: 'boolean',
  options: '',
});

/** The analysis of an agent. */
export const ANALYSIS_FORM: FormShape<AnalysisState> = {
  read: (analysis) => stateOr(() => readAnalysis(analysis)),
  write: writeAnalysis,
};

function readAnalysis(analysis: JsonObject): AnalysisState {
  const where = 'The analysis';
  onlyKeys(analysis, ['extract', 'rubric', 'summary_prompt', 'model'], where);
  const { extract, rubric, model } = analysis;
  return {
    extract: extractOf(extract),
    hasExtract: extract !== undefined,
    rubric: rubricOf(rubric),
    hasRubric: rubric !== undefined,
    summaryPrompt: textIn(analysis, 'summary_prompt', where),
    model: modelOf(model),
  };
}

function extractOf(extract: unknown): SchemaState {
  if (extract === undefined) return EMPTY_SCHEMA;
  if (!isJsonObject(extract)) return notShown('“extract” must be an object.');
  if (Object.keys(extract).length === 0) return notShown('“extract” has no type.');
  const found = SCHEMA_FORM.read(extract);
  return 'state' in found ? found.state : notShown(`In “extract”: ${found.reason}`);
}

function rubricOf(rubric: unknown): QuestionRow[] {
  if (rubric === undefined) return [];
  if (!Array.isArray(rubric)) return notShown('“rubric” must be a list.');
  return rubric.map((one: unknown, key): QuestionRow => {
    const where = `Question ${key + 1}`;
    if (!isJsonObject(one)) return notShown(`${where} is not an object.`);
    onlyKeys(one, ['name', 'question', 'type', 'options'], where);
    const type = QUESTION_TYPES.find(([known]) => known === one['type']);
    if (!type) return notShown(`${where} has an unknown type.`);
    const { options } = one;
    if (options !== undefined && (type[0] !== 'enum' || !Array.isArray(options)))
      return notShown(`“options” of ${where.toLowerCase()} cannot be shown.`);
    return {
      key,
      name: textIn(one, 'name', where),
      question: textIn(one, 'question', where),
      type: type[0],
      options: Array.isArray(options) ? asLines(options, where) : '',
    };
  });
}

function modelOf(model: unknown): AnalysisState['model'] {
  if (model === undefined) return { provider: '', model: '', effort: '' };
  if (!isJsonObject(model)) return notShown('“model” must be an object.');
  onlyKeys(model, ['provider', 'model', 'reasoning_effort'], '“model”');
  return {
    provider: textIn(model, 'provider', '“model”') || notShown('“model” has no provider.'),
    model: textIn(model, 'model', '“model”'),
    effort: textIn(model, 'reasoning_effort', '“model”'),
  };
}

/** Nothing to extract, no questions and no summary is no analysis; a model alone is kept for the error of the API. */
function writeAnalysis(state: AnalysisState): JsonObject | null {
  const { extract, hasExtract, rubric, hasRubric, summaryPrompt, model } = state;
  const isExtracting = hasExtract || extract.rows.some(({ name }) => name.trim() !== '');
  const questions = rubric.map(({ name, question, type, options }) => ({
    ...given('name', name.trim()),
    ...given('question', question),
    type,
    ...(type === 'enum' && (options !== '' || name !== '') && { options: linesOf(options) }),
  }));
  const all = {
    ...(isExtracting && { extract: SCHEMA_FORM.write(extract) }),
    ...((hasRubric || questions.length > 0) && { rubric: questions }),
    ...given('summary_prompt', summaryPrompt),
    ...(model.provider !== '' && {
      model: {
        provider: model.provider,
        ...given('model', model.model.trim()),
        ...given('reasoning_effort', model.effort),
      },
    }),
  };
  return Object.keys(all).length === 0 ? null : all;
}
