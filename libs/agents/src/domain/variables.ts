import type { CodedProblem, ErrorCode } from '@app/common';

/** A value of a variable in a request. */
export type VariableValue = string | number | boolean;

/** The declaration of a variable, as it is stored with the agent. */
export interface VariableDeclaration {
  name: string;
  /** A call without a value is refused, before it is dialled. */
  required: boolean;
  default?: VariableValue;
  /** Characters of a value. */
  max_length: number;
  description?: string;
}

/** Characters of a value. */
export const MAX_VALUE_LENGTH = 1_000;
export const MAX_VARIABLES = 50;

/** The values of one call. */
export interface CallValues {
  variables: Record<string, unknown> | null;
  metadata: Record<string, unknown> | null;
}

/** A value that cannot be used; `field` is `variables` or `metadata`. */
interface ValueProblem {
  field: keyof CallValues;
  name: string;
  code: ErrorCode;
  problem: string;
}

/** Text, a finite number or a boolean. */
export const isVariableValue = (value: unknown): value is VariableValue =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** Blank text counts as missing: records of customers often have empty fields. */
export const hasValue = (value: unknown): value is VariableValue =>
  isVariableValue(value) && String(value).trim() !== '';

/** `fields[name]`, own fields only. */
export const ownField = (fields: Record<string, unknown> | null, name: string): unknown =>
  fields && Object.hasOwn(fields, name) ? fields[name] : undefined;

/** The value of a declared variable: `variables`, then `metadata`, then the default. Undefined: it has none. */
export function valueOf(
  { name, default: usual }: Pick<VariableDeclaration, 'name' | 'default'>,
  { variables, metadata }: CallValues,
): VariableValue | undefined {
  return [ownField(variables, name), ownField(metadata, name), usual].find(hasValue);
}

/** Why calls with these values cannot be created; empty when they can. Undeclared names are not checked. */
export function valueProblems(declarations: readonly VariableDeclaration[], values: CallValues): ValueProblem[] {
  return declarations.flatMap((declaration): ValueProblem[] => {
    const { name, required, max_length: longest } = declaration;
    const given = ownField(values.variables, name) ?? null;
    const field = given === null ? 'metadata' : 'variables';
    const value = given ?? ownField(values.metadata, name) ?? null;
    const fault = value === null ? undefined : valueFault(value, longest);
    if (fault) return [{ field, name, ...fault }];
    if (!required || valueOf(declaration, values) !== undefined) return [];
    // Programs from before `variables` send all values as metadata.
    const missing = values.variables === null ? 'metadata' : 'variables';
    return [{ field: missing, name, code: 'missing', problem: 'is required by the agent' }];
  });
}

/** The end of a sentence about one value; undefined when it can be used. */
export const valueProblem = (value: unknown, longest?: number): string | undefined =>
  valueFault(value, longest)?.problem;

/** The same with its code. */
export function valueFault(
  value: unknown,
  longest = MAX_VALUE_LENGTH,
): { code: ErrorCode; problem: string } | undefined {
  if (!isVariableValue(value)) return { code: 'wrong_type', problem: 'must be a string, a number, true or false' };
  if (String(value).length <= longest) return undefined;
  return { code: 'too_long', problem: `must not be greater than ${longest} characters` };
}

/** The problems of an object of values: a predicate of the object, or of the value with the name. */
export function variableFaults(values: unknown): { name?: string; code: ErrorCode; problem: string }[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return [{ code: 'wrong_type', problem: 'must be an object' }];
  const entries = Object.entries(values);
  if (entries.length > MAX_VARIABLES)
    return [{ code: 'too_many', problem: `must not have more than ${MAX_VARIABLES} values` }];
  return entries.flatMap(([name, value]) => {
    const fault = name.length > MAX_NAME_LENGTH ? NAME_TOO_LONG : valueFault(value);
    return fault ? [{ name: name.slice(0, MAX_NAME_LENGTH), ...fault }] : [];
  });
}

/** The same as sentences by the path of the value below `field`. */
export const variablesProblems = (field: string, values: unknown): [path: string, problem: CodedProblem][] =>
  variableFaults(values).map(({ name, code, problem }) => {
    const path = name === undefined ? field : `${field}.${name}`;
    return [path, { code, message: `The ${path} field ${problem}.` }];
  });

const MAX_NAME_LENGTH = 64;
const NAME_TOO_LONG = {
  code: 'too_long',
  problem: `must have a name of at most ${MAX_NAME_LENGTH} characters`,
} as const;
