import { type FieldErrors, InvalidFields } from '@app/common';
import type { z } from 'zod';

/** A fault of a field: its path in the record, and a predicate of its value (`must be text`). */
export interface FieldFault {
  path: readonly PropertyKey[];
  message: string;
  /** The whole sentence of the API, where field and predicate do not make one. */
  sentence?: string;
}

/** The values of a record are invalid: 422 with sentences in the API; workspace files show `faults` with their lines. */
export class InvalidRecord extends InvalidFields {
  constructor(readonly faults: readonly FieldFault[]) {
    super(fieldErrors(faults));
  }
}

/** The fault of a name, or another key, that a second record of the account has. */
export const taken = (field: string, value: string, kind: string): InvalidRecord =>
  new InvalidRecord([
    {
      path: [field],
      message: `${value} is already ${field === 'name' ? 'the name of ' : ''}a ${kind} of the account`,
      sentence: `The account has another ${kind} with the ${field} ${value}.`,
    },
  ]);

/** The fields as the schema returns them, and the paths of unknown ones, which are ignored. Throws InvalidRecord with every fault. */
export function readFields<T extends z.ZodType>(schema: T, value: unknown): { fields: z.output<T>; ignored: string[] } {
  const known = given(value);
  const ignored: string[] = [];
  for (;;) {
    const parsed = schema.safeParse(known);
    if (parsed.success) return { fields: parsed.data, ignored };
    const unknown = parsed.error.issues.filter(({ code }) => code === 'unrecognized_keys').flatMap(faultsOf);
    if (unknown.length === 0) throw new InvalidRecord(parsed.error.issues.flatMap(faultsOf));
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
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: issue.message }));
}

function fieldErrors(faults: readonly FieldFault[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path, message, sentence } of faults) {
    const field = path.map(String).join('.');
    const problems = (errors[field] ??= []);
    const problem = sentence ?? sentenceOf(field, message);
    // A number beyond 2^53 violates several rules with one sentence.
    if (!problems.includes(problem)) problems.push(problem);
  }
  return errors;
}

/** The predicate as a sentence in the wording of the other validation messages. */
function sentenceOf(field: string, message: string): string {
  const predicate = message
    .replace(/^is missing(?=$|:)/, 'is required')
    .replace(/^must be text(?:: write it in quotes.*)?$/, 'must be a string');
  return `The ${field.replaceAll('_', ' ')} field ${predicate}.`;
}
