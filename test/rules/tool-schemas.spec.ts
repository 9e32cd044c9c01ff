import { argumentProblems, type JsonSchema, schemaProblems } from '@app/json-schema';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SeededRandom } from '../support/seeded-random.js';

/** Schemas with every keyword that a tool's schema may contain, and values, both so small that some values match. */
class Maker {
  constructor(private readonly random: SeededRandom) {}

  schema(depth: number): JsonSchema | boolean {
    if (depth === 0 || this.random.chance(0.1)) return this.random.pick([true, false, {}, { type: 'string' }]);
    const keywords = Array.from({ length: this.random.int(1, 3) }, () => this.keyword(depth - 1));
    return Object.assign({}, ...keywords) as JsonSchema;
  }

  value(depth: number): unknown {
    const inner = depth === 0 ? 5 : 8;
    const kind = this.random.int(0, inner);
    if (kind > 6) return Object.fromEntries(this.some(() => [this.name(), this.value(depth - 1)]));
    if (kind > 5) return this.some(() => this.value(depth - 1));
    return this.random.pick<unknown>(['', 'a', 'ab', 'Bonn', '2026-02-28', 0, 1, -1.5, true, null]);
  }

  private some<T>(make: () => T): T[] {
    return Array.from({ length: this.random.int(0, 3) }, make);
  }

  private name(): string {
    return this.random.pick(['a', 'b', 'ab', 'c']);
  }

  private keyword(depth: number): JsonSchema {
    const { random } = this;
    const inner = () => this.schema(depth);
    const list = () => [inner(), inner()];
    const map = () =>
      Object.fromEntries([
        [this.name(), inner()],
        [this.name(), inner()],
      ]);
    const all: (() => JsonSchema)[] = [
      () => ({ type: random.pick(['string', 'number', 'integer', 'object', 'array', ['null', 'boolean']]) }),
      () => ({ enum: [this.value(1), this.value(0)] }),
      () => ({ const: this.value(1) }),
      () => ({ minimum: random.int(-1, 1), maxLength: random.int(0, 3), minItems: random.int(0, 2) }),
      () => ({ multipleOf: 0.5, exclusiveMaximum: 1, maxProperties: 2, uniqueItems: random.chance(0.5) }),
      () => ({ pattern: random.pick(['^a', 'b$', '[A-Z]']) }),
      () => ({ required: [this.name()] }),
      () => ({ dependentRequired: { [this.name()]: [this.name()] } }),
      () => ({ properties: map() }),
      () => ({ properties: map(), additionalProperties: inner() }),
      () => ({ patternProperties: { '^a': inner() } }),
      () => ({ propertyNames: inner() }),
      () => ({ dependentSchemas: map() }),
      () => ({ items: inner() }),
      () => ({ prefixItems: list(), items: inner() }),
      () => ({ contains: inner(), minContains: random.int(0, 2), maxContains: 2 }),
      () => ({ allOf: list() }),
      () => ({ anyOf: list() }),
      () => ({ oneOf: list() }),
      () => ({ not: inner() }),
      () => ({ if: inner(), then: inner(), else: inner() }),
      () => ({ $ref: '#/$defs/x~1y' }),
    ];
    return random.pick(all)();
  }
}

/** Without the tracking of evaluated properties: the code that Ajv 8.20 generates for it throws for some arguments. */
function plainAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, meta: false, validateSchema: false });
  Object.assign(ajv.opts, { unevaluated: false });
  return ajv;
}

describe('the validation of arguments', () => {
  it('has the result of plain Ajv', () => {
    const seen = { right: 0, wrong: 0 };
    for (let seed = 0; seed < 150; seed += 1) {
      const maker = new Maker(new SeededRandom(`schema ${seed}`));
      const inner = maker.schema(2);
      const schema = { $defs: { 'x/y': { type: ['string', 'object'] } }, type: 'object', properties: { a: inner } };
      expect([seed, schemaProblems(schema)]).toEqual([seed, {}]);
      const oracle = plainAjv().compile(schema);
      for (let n = 0; n < 15; n += 1) {
        const args = { a: maker.value(2) };
        const isRight = oracle(args);
        seen[isRight ? 'right' : 'wrong'] += 1;
        const ours = argumentProblems(schema, args) === undefined;
        expect({ seed, schema, args, isRight: ours }).toEqual({ seed, schema, args, isRight });
      }
    }
    // Both results are frequent enough for the comparison to be meaningful.
    expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(500);
  });
});
