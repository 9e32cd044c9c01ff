import { describe, expect, it } from '@jest/globals';
import { mcpChanges, nameForModel, offeredTools } from './mcp-tools.js';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const aTool = (more: object = {}) => ({ name: 'a', description: 'A.', parameters: schema, ...more });

describe('the name of an MCP tool for the model', () => {
  it.each([
    ['getWeather', 'get_weather'],
    ['get-weather', 'get_weather'],
    ['weather.get/v2', 'weather_get_v2'],
    ['HTTPGet2Things', 'httpget2_things'],
    ['2fa', 'shop_2fa'],
    ['end_call', 'shop_end_call'],
    ['Taken', 'shop_taken'],
    ['taken-twice', 'shop_taken_twice_2'],
    ['天气', 'tool'],
    ['x'.repeat(128), 'x'.repeat(64)],
  ])('of %s is %s', (name, expected) => {
    const taken = new Set(['taken', 'taken_twice', 'shop_taken_twice']);
    expect(nameForModel(name, 'shop', taken)).toBe(expected);
  });

  it('is free however many tools collide, also at the longest length', () => {
    const taken = new Set<string>();
    for (let count = 0; count < 50; count += 1) taken.add(nameForModel('y'.repeat(100), 'shop', taken));
    expect(taken.size).toBe(50);
    for (const name of taken) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
  });
});

describe('the tools that a server lists', () => {
  it.each<[string, unknown, string]>([
    ['is no object', 7, 'The tool has no name.'],
    ['has no name', { inputSchema: schema }, 'The tool has no name.'],
    ['has a name that is too long', { name: 'x'.repeat(129), inputSchema: schema }, 'at most 128'],
    ['has no schema', { name: 'a' }, 'must be an object'],
    ['has a schema of a list', { name: 'a', inputSchema: { type: 'array' } }, 'must be object'],
    ['has a remote reference', { name: 'a', inputSchema: { type: 'object', $ref: 'https://example.com' } }, '$ref'],
    ['has a huge schema', { name: 'a', inputSchema: { type: 'object', title: 'x'.repeat(20_000) } }, '16,384'],
  ])('leave out one that %s, with the reason', (_, tool, reason) => {
    const { tools, skipped } = offeredTools([tool], null);
    expect([tools, skipped]).toEqual([[], [{ name: expect.any(String), reason: expect.stringContaining(reason) }]]);
  });

  it('keep the first of two with one name, and limit descriptions', () => {
    const inputSchema = { ...schema };
    const listed = [
      { name: 'a', description: `\0${'x'.repeat(5_000)}`, inputSchema },
      { name: 'a', description: 'again', inputSchema },
    ];
    const { tools, skipped } = offeredTools(listed, null);
    expect(tools).toEqual([{ name: 'a', description: 'x'.repeat(4_000), parameters: schema }]);
    expect(skipped).toEqual([{ name: 'a', reason: 'The name occurs twice.' }]);
    expect(offeredTools(listed, ['b'])).toEqual({ tools: [], skipped: [] });
  });
});

describe('the changes of an MCP server', () => {
  it('are none for equal tools in another order, and for fields in another order', () => {
    const other = { properties: { city: { type: 'string' } }, type: 'object' };
    expect(mcpChanges([aTool(), aTool({ name: 'b' })], [aTool({ name: 'b', parameters: other }), aTool()])).toEqual([]);
  });

  it.each<[object, string]>([
    [{ description: 'B.' }, 'description: "A." became "B."'],
    [{ parameters: { type: 'object' } }, 'parameters.properties: {"city":{"type":"string"}} was removed'],
    [{ parameters: { ...schema, required: ['city'] } }, 'parameters.required: ["city"] was added'],
    [
      { parameters: { type: 'object', properties: { city: { type: 'integer' } } } },
      'parameters.properties.city.type: "string" became "integer"',
    ],
  ])('name the difference of %j', (more, difference) => {
    expect(mcpChanges([aTool()], [aTool(more)])).toEqual([{ tool: 'a', change: 'changed', differences: [difference] }]);
  });

  it('stay readable for large differences', () => {
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const [change] = mcpChanges([aTool()], [aTool({ parameters: { type: 'object', properties } })]);
    expect(change?.differences).toHaveLength(21);
    expect(change?.differences.at(-1)).toBe('31 more differences');
  });
});
