import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { addIgnored, IGNORED_FIELDS_HEADER, namesIgnored } from './ignored-fields.js';

/** What a DTO is read into. */
class Read {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}

describe('the names of ignored fields', () => {
  const own = { anything: { at: 'all' } };
  it.each<[string, object, object, string[]]>([
    ['none of a body that is known', { a: 1 }, new Read({ a: 1 }), []],
    ['unknown ones', { a: 1, b: 2 }, new Read({ a: 1 }), ['b']],
    ['names of methods', { toString: 1 }, new Read({}), ['toString']],
    [
      'those in a list',
      { list: [{ a: 1 }, { a: 1, b: 2 }] },
      new Read({ list: [new Read({ a: 1 }), new Read({ a: 1 })] }),
      ['list.1.b'],
    ],
    ['nothing of what is the sender’s own', { metadata: own }, new Read({ metadata: structuredClone(own) }), []],
    ['nothing that was made of a text', { a: '[1]' }, new Read({ a: [1] }), []],
  ])('are %s', (_, sent, read, expected) => {
    expect(namesIgnored(sent, read)).toEqual(expected);
  });
});

describe('the header', () => {
  const headerFor = (...lists: string[][]): unknown => {
    const response = new ServerResponse(new IncomingMessage(new Socket())) as Response;
    for (const names of lists) addIgnored(response, names);
    return response.getHeader(IGNORED_FIELDS_HEADER);
  };

  it.each<[string, string[][], string | undefined]>([
    ['is absent when all is known', [[]], undefined],
    ['has the body and the query', [['a', 'b.0.c'], ['d']], 'a, b.0.c, d'],
    ['encodes what has a meaning in headers', [['a,b\r\nSet-Cookie: x']], 'a%2Cb%0D%0ASet-Cookie%3A%20x'],
    ['encodes other scripts and half a pair', [['größe', '\ud800']], 'gr%C3%B6%C3%9Fe, %EF%BF%BD'],
    ['cuts long names', [['x'.repeat(5_000)]], `${'x'.repeat(100)}...`],
    ['ends after 20', [Array<string>(30).fill('x')], `${'x, '.repeat(20)}...`],
  ])('%s', (_, lists, expected) => {
    expect(headerFor(...lists)).toBe(expected);
  });
});
