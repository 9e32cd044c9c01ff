import { PatternBudget, PatternsTooLarge, STEPS_OF_ERROR, UnusablePattern } from './patterns/pattern.js';
import {
  jsonLimitProblem,
  isJsonObject,
  type JsonSchema,
  SCHEMA_BYTES,
  SCHEMA_DEPTH,
  SCHEMA_NODES,
  SCHEMA_PROPERTIES,
} from './limits.js';
import * as keywords from './keywords.js';

/** The faults of a schema, and the schema that validates arguments when there are none. */
interface ReadSchema {
  faults: SchemaFault[];
  /** Draft 2020-12 without annotations; `cost` is the validation cost of a node, see ArgumentValidator. */
  checked: JsonSchema;
}

/** Nesting of JSON in a schema within its limits, including values such as those of `enum`. */
const JSON_DEPTH = 32;

/**
 * The errors of a tool's input schema by field, such as `parameters.properties.when.pattern`; empty when it can be used. The schema must
 * describe an object (draft 2020-12, 2019-09 or 07), keep SCHEMA_BYTES, _DEPTH, _NODES and _PROPERTIES, refer only to its own `$defs` and
 * `definitions`, and have patterns without look-around and back-references. Unknown keywords are ignored. Takes at most a few
 * milliseconds for any input.
 */
export const schemaProblems = (schema: unknown): Record<string, string[]> => sentencesOf(schemaFaults(schema));

/** The same as data: of each field the ends of sentences about it. `patterns`: the budget of several schemas of one document. */
export const schemaFaults = (schema: unknown, path?: string, patterns?: PatternBudget): SchemaFault[] =>
  readSchema(schema, path, patterns).faults;

/** A field of a schema and a predicate of it: `must be a number`. */
interface SchemaFault {
  path: string;
  problem: string;
}

export function sentencesOf(faults: readonly SchemaFault[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const { path, problem } of faults) (errors[path] ??= []).push(`The ${path} field ${problem}.`);
  return errors;
}

/** Reads a schema as a tool's `parameters`, without compiling it. A schema that is too large is not read. */
export function readSchema(schema: unknown, path = 'parameters', patterns = new PatternBudget()): ReadSchema {
  if (!isJsonObject(schema)) return refused(path, 'must be an object: a JSON Schema');
  const extent = jsonLimitProblem(schema, { bytes: SCHEMA_BYTES, depth: JSON_DEPTH });
  if (extent) return refused(path, extent);
  return new SchemaReader(schema, path, patterns).read();
}

const refused = (path: string, problem: string): ReadSchema => ({ faults: [{ path, problem }], checked: {} });

/** A position in a schema. */
interface Place {
  path: string;
  depth: number;
  /** The definition that applies to the same value. */
  owner: string | undefined;
}

class SchemaReader {
  private readonly faults: SchemaFault[] = [];
  private readonly definitions = new Map<string, JsonSchema | boolean>();
  /** In-place references, from definition to definition. */
  private readonly references: [string | undefined, string][] = [];
  private readonly names = new Map<string, string>();
  private nodes = 0;
  private properties = 0;

  constructor(
    private readonly schema: JsonSchema,
    private readonly path: string,
    private readonly patterns: PatternBudget,
  ) {}

  read(): ReadSchema {
    const { $id: _name, $schema: dialect, ...rest } = this.schema;
    if (dialect !== undefined) this.report(`${this.path}.$schema`, keywords.dialectProblem(dialect));
    const root = this.node(rest, { path: this.path, depth: 1, owner: undefined });
    if (rest['type'] !== 'object') this.mustBeObject(`${this.path}.type`);
    const cycle = inPlaceCycle(this.references);
    if (cycle) this.report(`${this.path}.${cycle.replace('#/', '').replace('/', '.')}`, 'refers to itself without end');
    this.reportTotals();
    const definitions = Object.fromEntries(this.definitions);
    return { faults: this.faults, checked: { ...(root as JsonSchema), $defs: definitions } };
  }

  /** Definitions get plain names in the compiled schema: escapes of JSON pointers in URIs are ambiguous. */
  private plainName(name: string): string {
    const known = this.names.get(name) ?? `d${this.names.size}`;
    this.names.set(name, known);
    return known;
  }

  /** In place of what the type itself is wrong with. */
  private mustBeObject(path: string): void {
    const at = this.faults.findIndex((one) => one.path === path);
    const fault = { path, problem: 'must be object' };
    if (at < 0) this.faults.push(fault);
    else this.faults.splice(at, 1, fault);
  }

  private report(path: string, problem: string | undefined): void {
    if (problem !== undefined) this.faults.push({ path, problem });
  }

  private reportTotals(): void {
    if (this.nodes > SCHEMA_NODES) this.report(this.path, `must not have more than ${SCHEMA_NODES} schemas in it`);
    if (this.properties > SCHEMA_PROPERTIES)
      this.report(this.path, `must not have more than ${SCHEMA_PROPERTIES} properties`);
  }

  private get isOver(): boolean {
    return this.nodes > SCHEMA_NODES || this.properties > SCHEMA_PROPERTIES;
  }

  private node(schema: unknown, place: Place): JsonSchema | boolean {
    this.nodes += 1;
    if (this.isOver || typeof schema === 'boolean') return schema === true;
    if (!isJsonObject(schema)) return this.wrong(place.path, 'must be a JSON Schema');
    if (place.depth > SCHEMA_DEPTH) return this.wrong(place.path, `is nested deeper than ${SCHEMA_DEPTH} levels`);
    const checked = {
      ...this.assertions(schema, place),
      ...this.inPlace(schema, place),
      ...this.inside(schema, place),
    };
    return { ...checked, cost: costOf(checked) };
  }

  private wrong(path: string, end: string): boolean {
    this.report(path, end);
    return false;
  }

  private assertions(schema: JsonSchema, { path }: Place): JsonSchema {
    const checked: JsonSchema = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const check = own(keywords.ASSERTIONS, keyword) ?? own(keywords.ANNOTATIONS, keyword);
      this.report(`${path}.${keyword}`, check?.(value));
      if (own(keywords.ASSERTIONS, keyword)) checked[keyword] = value;
      if (keywords.REFUSED.includes(keyword) || keyword === '$id')
        this.report(`${path}.${keyword}`, 'is not supported');
    }
    const { pattern, type } = schema;
    if (pattern !== undefined && this.pattern(pattern, `${path}.pattern`)) checked['pattern'] = pattern;
    // OpenAPI 3.0 instead of a type `null`.
    if (schema['nullable'] === true && type !== undefined) checked['type'] = [...new Set([type, 'null'].flat())];
    return checked;
  }

  private pattern(source: unknown, path: string): boolean {
    if (typeof source !== 'string') return this.wrong(path, 'must be a string');
    if (this.patterns.isSpent) return false;
    try {
      this.patterns.compile(source);
      return true;
    } catch (error) {
      if (error instanceof PatternsTooLarge) return this.wrong(path, 'makes the patterns of the schema too much');
      if (!(error instanceof UnusablePattern)) throw error;
      return this.wrong(path, error.message);
    }
  }

  private inPlace(schema: JsonSchema, { path, depth, owner }: Place): JsonSchema {
    const place = (rest: string): Place => ({ path: `${path}.${rest}`, depth: depth + 1, owner });
    const checked: JsonSchema = { ...this.reference(schema, path, owner), ...this.dependencies(schema, place) };
    for (const keyword of keywords.IN_PLACE.filter((one) => schema[one] !== undefined)) {
      checked[keyword] = this.node(schema[keyword], place(keyword));
    }
    for (const keyword of keywords.IN_PLACE_LISTS.filter((one) => schema[one] !== undefined)) {
      checked[keyword] = this.list(schema[keyword], keyword, place);
    }
    return checked;
  }

  private inside(schema: JsonSchema, { path, depth }: Place): JsonSchema {
    const place = (rest: string): Place => ({ path: `${path}.${rest}`, depth: depth + 1, owner: undefined });
    const checked: JsonSchema = {};
    for (const keyword of keywords.INSIDE.filter((one) => schema[one] !== undefined && !isTuple(schema, one))) {
      checked[keyword] = this.node(schema[keyword], place(keyword));
    }
    for (const keyword of keywords.INSIDE_MAPS.filter((one) => schema[one] !== undefined)) {
      checked[keyword] = this.map(schema[keyword], keyword, place);
    }
    const tuple = isTuple(schema, 'items') ? 'items' : 'prefixItems';
    if (schema[tuple] !== undefined) checked['prefixItems'] = this.list(schema[tuple], tuple, place);
    // Draft 07: what follows the tuple. Without a tuple it means nothing.
    if (tuple === 'items' && checked['additionalItems'] !== undefined) checked['items'] = checked['additionalItems'];
    delete checked['additionalItems'];
    this.define(schema, { path, depth });
    return checked;
  }

  private list(schemas: unknown, keyword: string, place: (rest: string) => Place): unknown[] {
    if (Array.isArray(schemas) && schemas.length > 0) {
      return schemas.map((schema, index) => this.node(schema, place(`${keyword}.${index}`)));
    }
    this.report(place(keyword).path, 'must be an array of at least one JSON Schema');
    return [];
  }

  private map(schemas: unknown, keyword: string, place: (rest: string) => Place): Record<string, JsonSchema | boolean> {
    if (!isJsonObject(schemas)) {
      this.report(place(keyword).path, 'must be an object of JSON Schemas');
      return {};
    }
    const names = Object.keys(schemas).filter((name) => this.isName(name, keyword, place));
    if (keyword === 'properties') this.properties += names.length;
    return Object.fromEntries(names.map((name) => [name, this.node(schemas[name], place(`${keyword}.${name}`))]));
  }

  private isName(name: string, keyword: string, place: (rest: string) => Place): boolean {
    if (keyword === 'patternProperties') return this.pattern(name, place(`${keyword}.${name}`).path);
    return name !== '__proto__' || this.wrong(place(keyword).path, 'must not name __proto__');
  }

  /** Draft 07 has both kinds under one keyword. */
  private dependencies(schema: JsonSchema, place: (rest: string) => Place): JsonSchema {
    const { dependencies, dependentSchemas, dependentRequired } = schema;
    if (dependencies === undefined) {
      return dependentSchemas === undefined
        ? {}
        : { dependentSchemas: this.map(dependentSchemas, 'dependentSchemas', place) };
    }
    if (dependentSchemas !== undefined || dependentRequired !== undefined) {
      this.report(place('dependencies').path, 'must not stand beside dependentRequired or dependentSchemas');
    }
    if (!isJsonObject(dependencies)) return { dependentSchemas: this.map(dependencies, 'dependencies', place) };
    const part = (isList: boolean): JsonSchema =>
      Object.fromEntries(Object.entries(dependencies).filter(([, one]) => keywords.isTextList(one) === isList));
    return { dependentRequired: part(true), dependentSchemas: this.map(part(false), 'dependencies', place) };
  }

  private reference(schema: JsonSchema, path: string, owner: string | undefined): JsonSchema {
    if (schema['$ref'] === undefined) return {};
    const name = definitionOfRef(schema['$ref'], this.schema);
    if (name === undefined) {
      this.report(`${path}.$ref`, 'must refer to a schema in #/$defs or #/definitions, such as #/$defs/address');
      return {};
    }
    this.references.push([owner, name]);
    return { $ref: `#/$defs/${this.plainName(name)}` };
  }

  /** Only definitions at the root can be referred to; others are read for their errors. */
  private define(schema: JsonSchema, { path, depth }: { path: string; depth: number }): void {
    for (const keyword of ['$defs', 'definitions'].filter((one) => schema[one] !== undefined)) {
      const isRoot = path === this.path;
      const owner = (rest: string) => (isRoot ? `#/${rest.replace('.', '/')}` : undefined);
      const place = (rest: string): Place => ({ path: `${path}.${rest}`, depth: depth + 1, owner: owner(rest) });
      const found = this.map(schema[keyword], keyword, place);
      if (isRoot)
        for (const [name, one] of Object.entries(found))
          this.definitions.set(this.plainName(`#/${keyword}/${name}`), one);
    }
  }
}

const isTuple = (schema: JsonSchema, keyword: string): boolean => keyword === 'items' && Array.isArray(schema['items']);

const own = <T>(table: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** See ArgumentValidator. A visit reports at most one error, or one per required name. */
function costOf(checked: JsonSchema): { visit: number; item: number } {
  const { properties, required, dependentRequired, enum: choices, const: constant } = checked;
  const names = Object.keys(isJsonObject(properties) ? properties : {}).length;
  const demands = [required, Object.values(dependentRequired ?? {})].flat(3).length;
  const compared = JSON.stringify([choices ?? null, constant ?? null]).length;
  return { visit: STEPS_OF_ERROR * (1 + demands), item: names * 4 + compared / 4 };
}

const REF = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** `#/$defs/address` without escapes (RFC 6901 §6); undefined when it refers to no definition of the schema. */
function definitionOfRef(ref: unknown, schema: JsonSchema): string | undefined {
  const [, keyword = '', escaped = ''] = (typeof ref === 'string' && REF.exec(ref)) || [];
  const name = unescape(escaped);
  const definitions = schema[keyword];
  const isThere = name !== undefined && isJsonObject(definitions) && Object.hasOwn(definitions, name);
  return isThere ? `#/${keyword}/${name}` : undefined;
}

function unescape(text: string): string | undefined {
  try {
    return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/**
 * A definition that refers to itself for the same value, for example through `allOf` and `$ref`: validation would not end. Recursion into
 * the value, such as into the branches of a tree, ends with the value.
 */
function inPlaceCycle(references: readonly [string | undefined, string][]): string | undefined {
  const next = new Map<string, string[]>();
  for (const [from, to] of references) if (from !== undefined) next.set(from, [...(next.get(from) ?? []), to]);
  return [...next.keys()].find((start) => reaches(start, start, next));
}

function reaches(from: string, target: string, next: ReadonlyMap<string, string[]>): boolean {
  const seen = new Set<string>();
  const waiting = [...(next.get(from) ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === target) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...(next.get(name) ?? []));
  }
  return false;
}
