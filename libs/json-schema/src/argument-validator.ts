import { bound, Pattern, spend } from './patterns/pattern.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { ARGUMENTS_BYTES, ARGUMENTS_DEPTH, ARGUMENTS_VALUES, jsonLimitProblem, type JsonSchema } from './limits.js';
import { FORMATS } from './keywords.js';
import { readSchema, sentencesOf } from './read-schema.js';

/** Compiled schemas that are kept. A large one takes about 100 KB. */
const MAX_VALIDATORS = 200;
const MAX_PROBLEMS = 10;
const MAX_PROBLEM_LENGTH = 300;

const validators = new LRUCache<string, ArgumentValidator | string[]>({ max: MAX_VALIDATORS });

/**
 * Validates the arguments of an invocation. Returns problems that a model can correct (`city: must be string`); undefined when there are
 * none. Problems contain property names and constraints, never values. Arguments have at most ARGUMENTS_BYTES of JSON. Takes 10 ms at
 * most, plus the compilation at the first use of a schema.
 */
export function argumentProblems(schema: JsonSchema, args: unknown): string[] | undefined {
  const limit = jsonLimitProblem(args, { bytes: ARGUMENTS_BYTES, depth: ARGUMENTS_DEPTH, values: ARGUMENTS_VALUES });
  if (limit) return [`arguments: ${limit}`];
  const validator = validatorOf(schema);
  if (Array.isArray(validator)) return validator;
  if (validator.isUncomparable(args)) return ['arguments: fields must not be named toString or valueOf'];
  const errors = validator.errorsOf(args);
  if (errors === undefined) return ['arguments: there is too much to check; give fewer or shorter values'];
  return errors.length === 0 ? undefined : problemsOf(errors);
}

function validatorOf(schema: JsonSchema): ArgumentValidator | string[] {
  const key = JSON.stringify(schema);
  const validator = validators.get(key) ?? newValidator(schema);
  validators.set(key, validator);
  return validator;
}

/** Schemas are validated before they are stored, but a schema of an earlier release may be invalid in this one. */
function newValidator(schema: JsonSchema): ArgumentValidator | string[] {
  const { faults, checked } = readSchema(schema);
  const sentences = Object.values(sentencesOf(faults)).flat();
  return sentences.length > 0 ? sentences.slice(0, MAX_PROBLEMS) : new ArgumentValidator(checked);
}

function problemsOf(errors: readonly ErrorObject[]): string[] {
  const sentences = new Set(errors.map((error) => sentenceOf(error).slice(0, MAX_PROBLEM_LENGTH)));
  return [...sentences].slice(0, MAX_PROBLEMS);
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

const patternEngine = Object.assign((source: string) => Pattern.of(source), { code: 'Pattern.of' });

/** A compiled schema. */
class ArgumentValidator {
  private readonly validate: ValidateFunction;
  private readonly isComparing: boolean;

  /** `checked`: by readSchema. Compiling takes 1 ms for a usual schema, and 5 to 20 ms for the largest. */
  constructor(checked: JsonSchema) {
    const text = JSON.stringify(checked);
    this.validate = newAjv().compile(checked);
    this.isComparing = /"(?:const|enum|uniqueItems)":/.test(text);
  }

  /** `const`, `enum` and `uniqueItems` cannot compare such objects: fast-deep-equal calls fields with these names as methods. */
  isUncomparable(args: unknown): boolean {
    return this.isComparing && /"(?:toString|valueOf)":/.test(JSON.stringify(args));
  }

  /** All errors; undefined when validation would take too long. */
  errorsOf(args: unknown): ErrorObject[] | undefined {
    return bound(() => (this.validate(args) ? [] : (this.validate.errors ?? [])));
  }
}

/** One instance per schema, because an instance never releases its compiled schemas. */
function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    // readSchema validates schemas; the meta-schema takes longer to compile than any of them.
    meta: false,
    validateSchema: false,
    allErrors: true,
    inlineRefs: false,
    ownProperties: true,
    code: { regExp: patternEngine, optimize: false },
    formats: Object.fromEntries(FORMATS),
  });
  // No supported keyword uses the evaluated properties, and the code that tracks them throws for some arguments.
  Object.assign(ajv.opts, { unevaluated: false });
  return ajv.addKeyword({ keyword: 'cost', schemaType: 'object', errors: false, validate: pay });
}

/** The cost of a schema without its nested schemas, in steps of `spend`. */
interface Cost {
  /** Per visited value. */
  visit: number;
  /** Per element of the value. */
  item: number;
}

/** Runs at every node for every visited value, before Ajv descends into lists and objects. */
function pay({ visit, item }: Cost, value: unknown, schema?: JsonSchema): boolean {
  const comparing = schema?.['uniqueItems'] === true ? pairsOf(value) : 0;
  spend(visit + item * (1 + sizeOf(value)) + comparing);
  return true;
}

function sizeOf(value: unknown): number {
  // Ajv counts the code points of a string; 64 of them take as long as one step.
  if (typeof value === 'string') return value.length / 64;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** `uniqueItems` compares all pairs, objects with all their fields. */
function pairsOf(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  return value.length ** 2 * (value.some((item) => typeof item === 'object') ? 20 : 2);
}
