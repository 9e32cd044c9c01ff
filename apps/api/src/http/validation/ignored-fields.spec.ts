import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { addIgnoredFields, IGNORED_FIELDS_HEADER, ignoredFieldNames, isStrict } from './ignored-fields.js';

/** Stands for a DTO. */
class Read {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}

describe('the names of ignored fields', () => {
  const own = { anything: { at: 'all' } };
  it.each<[string, object, object, string[]]>([
    ['are empty for a body of known fields', { a: 1 }, new Read({ a: 1 }), []],
    ['contain unknown fields', { a: 1, b: 2 }, new Read({ a: 1 }), ['b']],
    ['contain fields that are named like methods', { toString: 1 }, new Read({}), ['toString']],
    [
      'contain the path of fields in a list',
      { list: [{ a: 1 }, { a: 1, b: 2 }] },
      new Read({ list: [new Read({ a: 1 }), new Read({ a: 1 })] }),
      ['list.1.b'],
    ],
    ['leave out free-form JSON', { metadata: own }, new Read({ metadata: structuredClone(own) }), []],
    ['leave out values that were parsed from text', { a: '[1]' }, new Read({ a: [1] }), []],
  ])('%s', (_, sent, read, expected) => {
    expect(ignoredFieldNames(sent, read)).toEqual(expected);
  });
});

describe('the Trunkline-Ignored-Fields header', () => {
  const headerFor = (...lists: string[][]): unknown => {
    const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
    for (const names of lists) addIgnoredFields(response, names);
    return response.getHeader(IGNORED_FIELDS_HEADER);
  };

  it.each<[string, string[][], string | undefined]>([
    ['is absent when all fields are known', [[]], undefined],
    ['lists fields of body and query', [['a', 'b.0.c'], ['d']], 'a, b.0.c, d'],
    ['encodes characters that have a meaning in headers', [['a,b\r\nSet-Cookie: x']], 'a%2Cb%0D%0ASet-Cookie%3A%20x'],
    ['encodes other scripts and replaces lone surrogates', [['größe', '\ud800']], 'gr%C3%B6%C3%9Fe, %EF%BF%BD'],
    ['truncates long names', [['x'.repeat(5_000)]], `${'x'.repeat(100)}...`],
    ['ends after 20 names', [Array<string>(30).fill('x')], `${'x, '.repeat(20)}...`],
  ])('%s', (_, lists, expected) => {
    expect(headerFor(...lists)).toBe(expected);
  });
});

describe('a request', () => {
  it.each([
    ['handling=strict', true],
    ['Handling = "strict"; x=1', true],
    ['respond-async, wait=10, handling=strict', true],
    ['handling=lenient', false],
    ['handling=stricter', false],
    ['x-handling=strict', false],
    [undefined, false],
  ])('with the preference %s is strict: %s', (prefer, expected) => {
    expect(isStrict({ headers: { prefer } } as unknown as Request)).toBe(expected);
  });
});
