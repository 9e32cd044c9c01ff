import { describe, expect, it } from '@jest/globals';
import { functionDeclaration, ownArguments } from './gemini-schema.js';

const converted = (property: object, root: object = {}): unknown =>
  functionDeclaration({
    name: 'f',
    description: 'd',
    parameters: { type: 'object', properties: { x: property }, ...root },
  }).parameters?.properties?.x;

const BOTH = [
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
];

describe('the schema of a tool for Gemini', () => {
  it.each([
    ['text', { type: 'string', minLength: 2, pattern: '^a' }, { type: 'STRING', minLength: '2', pattern: '^a' }],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, { type: 'STRING', enum: ['a', 'b'], format: 'enum' }],
    ['an empty choice', { type: 'string', enum: [''] }, { type: 'STRING', description: '(one of [""])' }],
    ['a choice or nothing', { enum: ['a', ''] }, { type: 'STRING', description: '(one of ["a",""])' }],
    ['no choice at all', { type: 'string', enum: [] }, { type: 'STRING', description: '(one of [])' }],
    ['a repeated choice', { type: 'string', enum: ['a', 'a'] }, { type: 'STRING', enum: ['a'], format: 'enum' }],
    [
      'keywords of another type',
      { type: 'string', title: 5, minLength: '2', maxLength: 1.5, minimum: '1' },
      { type: 'STRING' },
    ],
    [
      'conditions',
      { type: 'string', if: { const: 'a' }, then: { maxLength: 2 } },
      { type: 'STRING', description: '(if: {"const":"a"}, then: {"maxLength":2})' },
    ],
    ['a constant', { const: 'a' }, { type: 'STRING', enum: ['a'], format: 'enum' }],
    ['numbers to choose from', { enum: [1, 2] }, { type: 'NUMBER', description: '(one of [1,2])' }],
    ['an integer', { type: 'integer', minimum: 1, maximum: 9 }, { type: 'INTEGER', minimum: 1, maximum: 9 }],
    [
      'limits without a counterpart',
      { type: 'number', exclusiveMinimum: 0, description: 'Price.' },
      { type: 'NUMBER', description: 'Price. (exclusiveMinimum: 0)' },
    ],
    ['an unknown format', { type: 'string', format: 'email' }, { type: 'STRING', description: '(format: email)' }],
    ['a known format', { type: 'string', format: 'date-time' }, { type: 'STRING', format: 'date-time' }],
    ['a nullable text', { type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    ['a nullable alternative', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'INTEGER', nullable: true }],
    ['several types', { type: ['string', 'integer'] }, { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }],
    [
      'a list',
      { type: 'array', items: { type: 'boolean' }, maxItems: 3 },
      { type: 'ARRAY', maxItems: '3', items: { type: 'BOOLEAN' } },
    ],
    ['a list of anything', { type: 'array' }, { type: 'ARRAY', items: { type: 'STRING' } }],
    [
      'a free object',
      { type: 'object', additionalProperties: true },
      { type: 'STRING', description: 'A JSON object, written as text.' },
    ],
    [
      'an object',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'], additionalProperties: false },
      { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
    ],
    [
      'merged parts',
      { allOf: BOTH },
      { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'STRING' } }, required: ['a', 'b'] },
    ],
    ['anything', {}, { type: 'STRING' }],
  ])('%s', (_, given, expected) => {
    expect(converted(given)).toEqual(expected);
  });

  it('references are resolved, and recursive ones end as text', () => {
    const $defs = {
      City: { type: 'string', description: 'A city.' },
      Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } },
    };
    expect(converted({ $ref: '#/$defs/City' }, { $defs })).toEqual({ type: 'STRING', description: 'A city.' });
    const tree = JSON.stringify(converted({ $ref: '#/$defs/Node' }, { $defs }));
    expect(tree).toContain('A JSON object');
    expect(tree.length).toBeLessThan(2_000);
  });

  it('a tool without parameters has no schema, because the service refuses an empty object', () => {
    const parameters = { type: 'object', properties: {} };
    expect(functionDeclaration({ name: 'f', description: 'd', parameters })).toEqual({ name: 'f', description: 'd' });
  });

  it('an object that was written as text reaches the tool as an object', () => {
    const free = { type: 'object' };
    const parameters = {
      type: 'object',
      properties: { a: free, b: { type: 'array', items: free }, c: { type: 'string' } },
    };
    const args = { a: '{"k":1}', b: ['{"l":2}', 'no JSON'], c: '{"stays":"text"}' };
    expect(ownArguments(args, parameters)).toEqual({ a: { k: 1 }, b: [{ l: 2 }, 'no JSON'], c: '{"stays":"text"}' });
  });
});
