import type { AnalysisSettings, RubricQuestion } from '@app/agents';
import { isJsonObject } from '@app/json-schema';
import { type Evidence, linesOf, type CallMaterial } from './call-material.js';
import { type Citation, citationsByPath, EvidenceFinder } from './evidence.js';

/** `supported`: with evidence. `unsupported`: a value was given, but its evidence is not in the call. `absent`: no value was given. */
export const VALUE_STATUSES = ['supported', 'unsupported', 'absent'] as const;
type ValueStatus = (typeof VALUE_STATUSES)[number];

export interface AnalysedField {
  /** In `values`, such as `address.city` or `items.0`. */
  path: string;
  value: unknown;
  status: ValueStatus;
  evidence: Evidence[];
}

export interface RubricAnswer {
  name: string;
  question: string;
  type: RubricQuestion['type'];
  value: unknown;
  status: ValueStatus;
  evidence: Evidence[];
}

export interface AnalysisResult {
  /** null: the analysis has no `extract`. Unsupported values are null. */
  values: Record<string, unknown> | null;
  /** Each value with its evidence. */
  fields: AnalysedField[];
  rubric: RubricAnswer[];
  summary: string | null;
}

/** A value with the evidence that was found for it. */
export interface Judged {
  value: unknown;
  status: ValueStatus;
  evidence: Evidence[];
}

export const ABSENT: Judged = { value: null, status: 'absent', evidence: [] };

/** The answer of a model with every value that the call proves; the others become null. */
export function provenResult(
  settings: AnalysisSettings,
  answer: Record<string, unknown>,
  material: CallMaterial,
): AnalysisResult {
  const finder = new EvidenceFinder(linesOf(material));
  const citations = citationsByPath(answer.evidence as Citation[]);
  const judge = (path: string, value: unknown): Judged => {
    if (isNothing(value)) return ABSENT;
    const evidence = finder.of(path, citations);
    return evidence.length > 0 ? { value, status: 'supported', evidence } : { ...ABSENT, status: 'unsupported' };
  };
  const fields: AnalysedField[] = [];
  const given = isJsonObject(answer.values) ? answer.values : {};
  const whole = Object.fromEntries(valueNames(settings).map((name) => [name, given[name] ?? null]));
  const prove = (path: string, value: unknown): unknown => {
    if (!isNothing(value) && typeof value === 'object') return proveInner(path, value);
    const judged = judge(`values.${path}`, value);
    fields.push({ path, ...judged });
    return judged.value;
  };
  const proveInner = (path: string, value: unknown): unknown => {
    const inner = Object.entries(value as object).map(([key, one]) => [key, prove(`${path}.${key}`, one)] as const);
    return Array.isArray(value) ? inner.map(([, one]) => one) : Object.fromEntries(inner);
  };
  const values = Object.fromEntries(
    Object.entries({ ...whole, ...given }).map(([name, one]) => [name, prove(name, one)]),
  );
  const answers = isJsonObject(answer.rubric) ? answer.rubric : {};
  const rubric = rubricAnswers(settings, ({ name }) => judge(`rubric.${name}`, answers[name] ?? null));
  const summary = typeof answer.summary === 'string' && answer.summary.trim() !== '' ? answer.summary.trim() : null;
  return { values: settings.extract ? values : null, fields, rubric, summary };
}

/** An empty list or object states nothing. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export const rubricAnswers = (
  { rubric = [] }: AnalysisSettings,
  answer: (question: RubricQuestion) => Judged,
): RubricAnswer[] =>
  rubric.map((question) => {
    const { name, question: text, type } = question;
    return { name, question: text, type, ...answer(question) };
  });

/** The values of the first level. */
function valueNames({ extract }: AnalysisSettings): string[] {
  const properties = extract?.['properties'];
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
