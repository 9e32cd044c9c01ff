import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks } from '../support/page-code.js';
import { contract, unknownFields } from '../support/unknown-fields.js';

interface Example {
  page: string;
  method: string;
  /** With `{}` for each id. */
  path: string;
  body?: string;
}

const pages = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
];

/** The requests of a page by curl. Variables that the page assigns are replaced, others are ids. */
function examplesOf(page: string): Example[] {
  const text = codeBlocks(page, 'sh')
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ');
  const assigned = new Map([...text.matchAll(/^(?:export )?(\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]));
  const whole = (words: string): string =>
    words.replaceAll(/\$(\w+)/g, (_, name: string) => (assigned.has(name) ? whole(assigned.get(name)!) : '{}'));
  return [...text.matchAll(/\bcurl ((?:[^'\n]|'[^']*')+)/g)].flatMap(([, command = '']) => {
    const [, path] = /\/api\/v1(\/[^\s"'?]*)/.exec(whole(command.split(/ -H /)[0]!)) ?? [];
    // The path of a function is its parameter.
    if (path === undefined || path === '/{}') return [];
    // A strict request shows how an unknown field is refused.
    const [, body] = command.includes('handling=strict') ? [] : (/ -d '(\{[^']*\})'/.exec(command) ?? []);
    const sends = !/ -G\b/.test(` ${command}`) && / (?:-d|-F|--data-binary)\b/.test(command);
    const method = / ?-X (\w+)/.exec(command)?.[1] ?? (sends ? 'POST' : 'GET');
    return [{ page, method, path: path.replace(/[\da-f]{8}-[\da-f-]{27}/, '{}'), ...(body && { body }) }];
  });
}

/** A segment of a route that is an id matches `{}`, a number, and nothing else. */
const matches = (route: string, path: string): boolean =>
  new RegExp(`^/api/v1${path.replaceAll('{}', '\\{\\w+\\}').replaceAll(/\/\d+(?=\/|$)/g, '/\\{\\w+\\}')}$`).test(route);

const operationOf = ({ method, path }: Example) => {
  const route = Object.keys(contract.paths).find(
    (one) => matches(one, path) && contract.paths[one]![method.toLowerCase()],
  );
  return route === undefined ? undefined : contract.paths[route]![method.toLowerCase()];
};

describe('the requests by curl in the documentation', () => {
  const examples = pages.filter((page) => page.endsWith('.md')).flatMap(examplesOf);

  it('use routes that exist', () => {
    expect(examples.length).toBeGreaterThan(40);
    expect(examples.filter((example) => operationOf(example) === undefined)).toEqual([]);
  });

  it('send JSON with fields that their routes know', () => {
    const bodies = examples.filter(({ body }) => body !== undefined);
    expect(bodies.length).toBeGreaterThan(15);
    const wrong = bodies.flatMap((example) => {
      const schema = operationOf(example)?.requestBody?.content['application/json']?.schema;
      const unknown = schema ? unknownFields(JSON.parse(example.body!), schema) : ['a body'];
      return unknown.map((field) => `${example.page}: ${example.method} ${example.path} has no ${field}`);
    });
    expect(wrong).toEqual([]);
  });
});
