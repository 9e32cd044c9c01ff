import type { ErrorObject } from 'ajv';
import { extentProblem } from '../json-extent.js';
import { ARGUMENTS_BYTES, ARGUMENTS_DEPTH, ARGUMENTS_VALUES } from '../limits.js';
import type { JsonSchema } from '../tool.js';
import { ArgumentCheck } from './argument-check.js';
import { readSchema } from './read-schema.js';

/** Compiled schemas of this process; the one that was used longest ago makes room. A big one takes some 100 KB. */
const KEPT = 200;
const MOST_TOLD = 10;
const LONGEST_TOLD = 300;

const checks = new Map<string, ArgumentCheck | string[]>();

/**
 * What is wrong with the arguments of an invocation, as sentences that a model can act on (`city: must be string`); undefined:
 * nothing. They name properties and what is allowed, never a value that was given. At most ARGUMENTS_BYTES of JSON. Takes 10 ms
 * at most, and a schema's first use what compiling it takes.
 */
export function argumentProblems(schema: JsonSchema, args: unknown): string[] | undefined {
  const extent = extentProblem(args, { bytes: ARGUMENTS_BYTES, depth: ARGUMENTS_DEPTH, values: ARGUMENTS_VALUES });
  if (extent) return [`arguments: ${extent.replace(/\.$/, '')}`];
  const check = checkOf(schema);
  if (Array.isArray(check)) return check;
  if (check.isUncomparable(args)) return ['arguments: fields must not be named toString or valueOf'];
  const errors = check.errorsOf(args);
  if (errors === undefined) return ['arguments: there is too much to check; give fewer or shorter values'];
  return errors.length === 0 ? undefined : told(errors);
}

function checkOf(schema: JsonSchema): ArgumentCheck | string[] {
  const key = JSON.stringify(schema);
  const check = checks.get(key) ?? newCheck(schema);
  checks.delete(key);
  checks.set(key, check);
  const [oldest] = checks.keys();
  if (checks.size > KEPT && oldest !== undefined) checks.delete(oldest);
  return check;
}

/** Schemas are stored only when they can be read; one of an older release may be none. */
function newCheck(schema: JsonSchema): ArgumentCheck | string[] {
  const { problems, checked } = readSchema(schema);
  const sentences = Object.values(problems).flat();
  return sentences.length > 0 ? sentences.slice(0, MOST_TOLD) : new ArgumentCheck(checked);
}

function told(errors: readonly ErrorObject[]): string[] {
  const sentences = new Set(errors.map((error) => sentenceOf(error).slice(0, LONGEST_TOLD)));
  return [...sentences].slice(0, MOST_TOLD);
}

function sentenceOf({ instancePath, keyword, params, message = 'is wrong' }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  const inside = (name: unknown): string => [path, String(name)].filter(Boolean).join('.');
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return `${inside(params['missingProperty'])}: is required`;
    case 'additionalProperties':
      return `${inside(params['additionalProperty'])}: is not a parameter`;
    case 'enum':
      return `${path}: must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `${path}: must be ${JSON.stringify(params['allowedValue'])}`;
    default:
      return `${path || 'arguments'}: ${message}`;
  }
}
