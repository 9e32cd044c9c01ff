import { isJsonObject, type JsonSchema } from '@app/json-schema';
import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js';
import { MAX_EXPRESSION } from './flow.js';

/**
 * Expressions of exits, in CEL (https://github.com/google/cel-spec). They have the values of the call as `vars.name`, `turns` and
 * `seconds`. Their cost is bounded by what they may contain: 100 nodes, one level of `exists` and its like, functions that build no larger
 * values, and no regular expressions. Those have their place in the schema of a value, as `pattern`.
 */

/** The text is not an expression of an exit; the message is the end of a sentence. */
export class UnusableExpression extends Error {}

/** What an expression is evaluated for. Absent values are null. */
interface ExpressionScope {
  valueOf: (name: string) => unknown;
  schemaOf: (name: string) => JsonSchema | undefined;
  /** Turns of the user in the step. */
  turns: number;
  /** Whole seconds in the step. */
  seconds: number;
}

const MAX_NODES = 100;
const FUNCTIONS = ['has', 'size', 'int', 'double', 'string', 'bool', 'timestamp', 'duration'];
const METHODS = ['size', 'contains', 'startsWith', 'endsWith'];
/** They run an expression for each item of a list. */
const MACROS = ['exists', 'all', 'exists_one', 'filter'];

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: MAX_NODES, maxDepth: 24, maxListElements: 50, maxMapEntries: 10, maxCallArguments: 4 },
})
  .registerVariable('vars', 'map<string, dyn>')
  .registerVariable('turns', 'int')
  .registerVariable('seconds', 'int');

export class Expression {
  private constructor(
    private readonly program: ParseResult,
    private readonly type: string,
    /** Of the values that it uses. */
    readonly names: readonly string[],
    readonly usesSeconds: boolean,
    /** Texts that it compares with values. */
    readonly comparisons: readonly { name: string; text: string }[],
  ) {}

  /** @throws UnusableExpression */
  static of(source: string): Expression {
    if (source.length > MAX_EXPRESSION)
      throw new UnusableExpression(`must not be longer than ${MAX_EXPRESSION} characters`);
    const use = new Use();
    const parsed = parse(source);
    use.read(parsed.ast);
    const text = use.withoutPresence(source);
    const program = text === source ? parsed : parse(text);
    const { type = '', error } = program.check();
    if (error) throw new UnusableExpression(`does not compile: ${error.summary}`, { cause: error });
    if (type !== 'bool' && type !== 'dyn')
      throw new UnusableExpression(`must be true or false, and is of type ${type}`);
    return new Expression(program, type, [...use.names], use.usesSeconds, use.comparisons);
  }

  /** Whether it can only be decided by values. */
  get usesValues(): boolean {
    return this.names.length > 0;
  }

  /** An expression that has no result, such as `vars.age > 17` while there is no age, is not true. */
  isTrue(scope: ExpressionScope): boolean {
    return this.resultOf(scope) === true;
  }

  /** Why it is never true for values of these schemas, as the end of a sentence. Values without a type are not checked. */
  typeProblem(schemaOf: ExpressionScope['schemaOf']): string | undefined {
    const samples = new Map(this.names.map((name) => [name, sampleOf(schemaOf(name))]));
    if ([...samples.values()].includes(undefined)) return undefined;
    const result = this.resultOf({ valueOf: (name) => samples.get(name), schemaOf, turns: 1, seconds: 1 });
    if (result instanceof Error)
      return TYPE_ERRORS.has(codeOf(result)) ? `cannot be evaluated: ${summaryOf(result)}` : undefined;
    return typeof result === 'boolean' || this.type === 'bool' ? undefined : 'must be true or false';
  }

  /** The error of an evaluation as its result. */
  private resultOf({ valueOf, schemaOf, turns, seconds }: ExpressionScope): unknown {
    const vars = Object.fromEntries(this.names.map((name) => [name, celValue(valueOf(name), schemaOf(name))]));
    try {
      return this.program({ vars, turns: BigInt(turns), seconds: BigInt(seconds) });
    } catch (error) {
      if (isCelError(error)) return error;
      throw error;
    }
  }
}

const TYPE_ERRORS: ReadonlySet<string> = new Set([
  'no_such_overload',
  'no_matching_overload',
  'invalid_logical_operand',
  'invalid_condition_type',
]);

const isCelError = (error: unknown): error is Error & { code: string; summary: string } =>
  error instanceof Error && ['ParseError', 'EvaluationError', 'TypeError'].includes(error.name) && 'summary' in error;
const codeOf = (error: Error): string => (isCelError(error) ? error.code : '');
const summaryOf = (error: Error): string => (isCelError(error) ? error.summary : error.message);

function parse(source: string): ParseResult {
  try {
    return environment.parse(source);
  } catch (error) {
    if (!isCelError(error)) throw error;
    throw new UnusableExpression(`does not compile: ${error.summary}`, { cause: error });
  }
}

/** What an expression uses. */
class Use {
  readonly names = new Set<string>();
  readonly comparisons: { name: string; text: string }[] = [];
  usesSeconds = false;
  /** `has(vars.name)` in the source. */
  private readonly presences: { start: number; end: number; value: string }[] = [];

  /** `item`: the name that a macro has given to the items of its list. @throws UnusableExpression */
  read(node: ASTNode, item?: string): void {
    const name = valueName(node);
    if (name !== undefined) {
      this.names.add(name);
      return;
    }
    switch (node.op) {
      case 'value':
        return;
      case 'id':
        return this.readName(node.args, item);
      case '.':
        return this.read(node.args[0], item);
      case 'call':
        return this.readCall(node, node.args[0], node.args[1], item);
      case 'rcall':
        return this.readMethod(node.args, item);
      case 'list':
        return node.args.forEach((one) => this.read(one, item));
      case 'map':
        return node.args.flat().forEach((one) => this.read(one, item));
      case '!_':
      case '-_':
        return this.read(node.args, item);
      case '==':
      case '!=':
      case 'in':
        this.compare(node.args);
        return node.args.forEach((one) => this.read(one, item));
      case '.?':
      case '[?]':
        throw new UnusableExpression(`must not use the operator ${node.op}`);
      default:
        return node.args.forEach((one) => this.read(one, item));
    }
  }

  /** The source with `(vars.name != null)` for `has(vars.name)`: absent values are null. */
  withoutPresence(source: string): string {
    return this.presences
      .toSorted((a, b) => b.start - a.start)
      .reduce((text, { start, end, value }) => `${text.slice(0, start)}(${value} != null)${text.slice(end)}`, source);
  }

  private readName(name: string, item: string | undefined): void {
    if (name === item || name === 'turns') return;
    if (name === 'seconds') {
      this.usesSeconds = true;
      return;
    }
    if (name === 'vars') throw new UnusableExpression('uses vars without the name of a value; write it as vars.name');
    throw new UnusableExpression(`uses the unknown name ${name}; values are written as vars.name`);
  }

  private readCall(node: ASTNode, name: string, args: readonly ASTNode[], item: string | undefined): void {
    if (!FUNCTIONS.includes(name)) throw unknownFunction(name);
    const [first] = args;
    const value = name === 'has' && first && valueName(first);
    if (value) this.presences.push({ start: node.start, end: node.end, value: `vars.${value}` });
    for (const one of args) this.read(one, item);
  }

  private readMethod([name, receiver, args]: [string, ASTNode, ASTNode[]], item: string | undefined): void {
    this.read(receiver, item);
    if (!MACROS.includes(name)) {
      if (!METHODS.includes(name)) throw unknownFunction(name);
      for (const one of args) this.read(one, item);
      return;
    }
    if (item !== undefined) throw new UnusableExpression(`must not use ${name} inside of another one of its kind`);
    const [variable, ...rest] = args;
    if (variable?.op !== 'id' || ['vars', 'turns', 'seconds'].includes(variable.args))
      throw new UnusableExpression(`must give ${name} a name for the items, as in vars.list.${name}(item, item == 1)`);
    for (const one of rest) this.read(one, variable.args);
  }

  private compare([left, right]: readonly [ASTNode, ASTNode]): void {
    const name = valueName(left) ?? valueName(right);
    const other = valueName(left) === undefined ? left : right;
    if (name === undefined) return;
    for (const one of other.op === 'list' ? other.args : [other])
      if (one.op === 'value' && typeof one.args === 'string') this.comparisons.push({ name, text: one.args });
  }
}

const unknownFunction = (name: string) =>
  new UnusableExpression(
    `must not use ${name}(); the functions are ${[...FUNCTIONS, ...METHODS.slice(1), ...MACROS].join(', ')}`,
  );

/** Of `vars.name` and `vars["name"]`. */
function valueName(node: ASTNode): string | undefined {
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [object, key] = node.args;
  if (object.op !== 'id' || object.args !== 'vars') return undefined;
  if (typeof key === 'string') return key;
  return key.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
}

/** CEL has whole numbers and others; a JSON number is whole unless its schema says `number`. */
function celValue(value: unknown, schema: unknown): unknown {
  const { type, items, properties } = isJsonObject(schema) ? schema : {};
  if (typeof value === 'number') return type !== 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((one) => celValue(one, items));
  if (!isJsonObject(value)) return value ?? null;
  const schemas = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, celValue(one, Object.hasOwn(schemas, key) ? schemas[key] : {})]),
  );
}

/** A value of the type of a schema; undefined when it has none or several. */
function sampleOf(schema: unknown): unknown {
  if (!isJsonObject(schema)) return undefined;
  switch (schema['type']) {
    case 'string':
      return Array.isArray(schema['enum']) ? schema['enum'][0] : 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array': {
      const item = sampleOf(schema['items']);
      return item === undefined ? undefined : [item];
    }
    default:
      return undefined;
  }
}
