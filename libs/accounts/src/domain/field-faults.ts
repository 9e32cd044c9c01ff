import { type CodedProblem, type ErrorCode, InvalidFields } from '@app/common';
import { API_WORDS, codeOfIssue, type FaultWords, inWords, isSentence } from '@app/common/field-schemas';
import type { z } from 'zod';

/** A fault of a field: its path in the record, and a predicate of its value (`must be a list`). */
export interface FieldFault {
  path: readonly PropertyKey[];
  code: ErrorCode;
  message: string;
  /** The whole sentence of the API, where field and predicate do not make one. */
  sentence?: string;
}

/** How a group of routes words the faults of its requests. */
export interface FaultSurface {
  words: FaultWords;
  /** The field in a sentence. */
  nameOf: (field: string) => string;
}

const RECORDS: FaultSurface = { words: API_WORDS, nameOf: (field) => field.replaceAll('_', ' ') };

/** The values of a record are invalid: 422 with sentences in the API; workspace files show `faults` with their lines. */
export class InvalidRecord extends InvalidFields {
  constructor(
    readonly faults: readonly FieldFault[],
    { nameOf }: Pick<FaultSurface, 'nameOf'> = RECORDS,
  ) {
    super(fieldErrors(faults, nameOf));
  }
}

/** The fault of a name, or another key, that a second record of the account has. */
export const taken = (field: string, value: string, kind: string): InvalidRecord =>
  new InvalidRecord([
    {
      path: [field],
      code: 'taken',
      message: `${value} is already ${field === 'name' ? 'the name of ' : ''}a ${kind} of the account`,
      sentence: `The account has another ${kind} with the ${field} ${value}.`,
    },
  ]);

/** The fields as the schema returns them, and the paths of unknown ones, which are ignored. Throws InvalidRecord with every fault. */
export function readFields<T extends z.ZodType>(
  schema: T,
  value: unknown,
  surface = RECORDS,
): { fields: z.output<T>; ignored: string[] } {
  const known = given(value);
  const ignored: string[] = [];
  for (;;) {
    const parsed = schema.safeParse(known, inWords(surface.words));
    if (parsed.success) return { fields: parsed.data, ignored };
    const unknown = parsed.error.issues.filter(({ code }) => code === 'unrecognized_keys').flatMap(faultsOf);
    if (unknown.length === 0) throw new InvalidRecord(parsed.error.issues.flatMap(faultsOf), surface);
    for (const { path } of unknown) remove(known, path);
    ignored.push(...unknown.map(({ path }) => path.join('.')));
  }
}

function remove(value: unknown, path: readonly PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
  Reflect.deleteProperty(parent as object, path.at(-1) ?? '');
}

/** The fields that were given: a plain copy without undefined values, which DTOs have for absent fields. */
export function given<T>(value: T): T {
  if (Array.isArray(value)) return value.map((one: unknown) => given(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [key, given(one as unknown)])) as T;
}

/** One fault per unknown key, at that key; otherwise one per issue. */
export function faultsOf(issue: z.core.$ZodIssue): FieldFault[] {
  const { path, message } = issue;
  const code = codeOfIssue(issue);
  if (issue.code !== 'unrecognized_keys')
    return [{ path, code, message, sentence: isSentence(issue) ? message : undefined }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], code, message: issue.message }));
}

function fieldErrors(faults: readonly FieldFault[], nameOf: FaultSurface['nameOf']): Record<string, CodedProblem[]> {
  const errors: Record<string, CodedProblem[]> = {};
  for (const { path, code, message, sentence } of faults) {
    const field = path.map(String).join('.') || 'body';
    const problems = (errors[field] ??= []);
    const problem = sentence ?? `The ${nameOf(field)} field ${message}.`;
    // A number beyond 2^53 violates several rules with one sentence.
    if (!problems.some((one) => one.message === problem)) problems.push({ code, message: problem });
  }
  return errors;
}
