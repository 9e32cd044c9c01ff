import { bounded, Pattern, spend } from '@app/patterns';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../tool.js';
import { FORMATS } from './formats.js';

const patternEngine = Object.assign((source: string) => Pattern.of(source), { code: 'Pattern.of' });

/** A schema that arguments are checked with, compiled. */
export class ArgumentCheck {
  private readonly validate: ValidateFunction;
  private readonly isComparing: boolean;

  /** `checked`: by readSchema. Compiling takes 1 ms for a usual schema and 5 to 20 for the biggest. */
  constructor(checked: JsonSchema) {
    const text = JSON.stringify(checked);
    this.validate = checker().compile(checked);
    this.isComparing = /"(?:const|enum|uniqueItems)":/.test(text);
  }

  /** What `const`, `enum` and `uniqueItems` cannot be told of: fast-deep-equal calls what has the name of these methods. */
  isUncomparable(args: unknown): boolean {
    return this.isComparing && /"(?:toString|valueOf)":/.test(JSON.stringify(args));
  }

  /** All that is wrong; undefined: finding out would take too long. */
  errorsOf(args: unknown): ErrorObject[] | undefined {
    return bounded(() => (this.validate(args) ? [] : (this.validate.errors ?? [])));
  }
}

/** An instance for each schema: it keeps what it has compiled for as long as it lives. */
function checker(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    // readSchema has done it, and the schema of schemas takes longer to compile than any of ours.
    meta: false,
    validateSchema: false,
    allErrors: true,
    inlineRefs: false,
    ownProperties: true,
    code: { regExp: patternEngine, optimize: false },
    formats: Object.fromEntries(FORMATS),
  });
  // Nothing asks for what was evaluated, and the code that keeps account of it throws at some arguments.
  Object.assign(ajv.opts, { unevaluated: false });
  return ajv.addKeyword({ keyword: 'cost', schemaType: 'object', errors: false, validate: pay });
}

/** What a schema costs a value by itself, without the schemas in it: steps of `spend`. */
interface Cost {
  /** Each time that it is looked at. */
  visit: number;
  /** And for each thing in it. */
  item: number;
}

/** At every node for every value that it looks at; Ajv asks before it goes into lists and objects. */
function pay({ visit, item }: Cost, value: unknown, schema?: JsonSchema): boolean {
  const comparing = schema?.['uniqueItems'] === true ? pairsOf(value) : 0;
  spend(visit + item * (1 + sizeOf(value)) + comparing);
  return true;
}

function sizeOf(value: unknown): number {
  // The length of a text is counted by code points, 64 of them in the time of a step of a node.
  if (typeof value === 'string') return value.length / 64;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** Distinct items are compared each with each, objects by all they hold. */
function pairsOf(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  return value.length ** 2 * (value.some((item) => typeof item === 'object') ? 20 : 2);
}
