import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { envNames } from '../support/env-names.js';

const markdown = (folder: string, recursive: boolean): string[] =>
  readdirSync(folder, { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const pages = new Map(
  [...markdown('.', false), ...markdown('docs', true)].map((page) => [page, readFileSync(page, 'utf8')]),
);
const everywhere = (pattern: RegExp): string[] =>
  [...pages.values()].flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));

/** The anchor that GitHub generates for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** A page without its code blocks. */
const proseOf = (text: string): string => text.replace(/^```[^]*?^```/gm, '');

const anchorsOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1] ?? ''));

const linksOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');

/** undefined: the link of the page leads somewhere. */
function linkProblem(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(file)) return `${page} -> ${link}`;
  const text = pages.get(file);
  return anchor === undefined || text === undefined || anchorsOf(text).includes(anchor)
    ? undefined
    : `${page} -> ${link}`;
}

describe('the documentation', () => {
  it('has a README of at most 1,300 words', () => {
    expect((pages.get('README.md') ?? '').trim().split(/\s+/).length).toBeLessThanOrEqual(1300);
  });

  it('has a map, docs/README.md, that links to every page, directly, by an index page or by a folder', () => {
    const targets = (map: string): string[] =>
      linksOf(pages.get(map) ?? '').map((link) => normalize(join(dirname(map), link.split('#')[0] ?? '')));
    const direct = targets('docs/README.md');
    const indexes = direct.filter((page) => /^docs\/.+\/README\.md$/.test(page));
    const linked = new Set([...direct, ...indexes.flatMap(targets)]);
    const missing = [...pages.keys()].filter(
      (page) => page !== 'docs/README.md' && !linked.has(page) && !linked.has(dirname(page)),
    );
    expect(missing).toEqual([]);
  });

  it('uses plain technical English: components as subjects, no indefinite persons', () => {
    const persons = /\b(?:whoever|nobody|somebody|anybody|heeds|(?:is|are|was|were) told|tells|he|his|him)\b/i;
    const found = [...pages].flatMap(([page, text]) =>
      proseOf(text)
        .split('\n')
        .filter((line) => persons.test(line))
        .map((line) => `${page}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it('links only to files and headings that exist', () => {
    const links = [...pages].flatMap(([page, text]) => linksOf(text).map((link) => [page, link] as const));
    expect(links.length).toBeGreaterThan(100);
    const broken = links.map(([page, link]) => (/^https?:/.test(link) ? undefined : linkProblem(page, link)));
    expect(broken.filter(Boolean)).toEqual([]);
  });

  it('names only files that exist', () => {
    const files = everywhere(/`((?:apps|libs|test|scripts|bench|deploy|docs)\/[\w./-]+\.\w+)`/g);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !existsSync(file) && !file.includes('NNNN'))).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(everywhere(/npm run (?:-s )?([\w:]+)/g).filter((script) => !(script in scripts))).toEqual([]);
  });

  it('names only API routes that exist', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> };
    const shape = (path: string): string => path.replace(/\{[^}]*\}|[\da-f]{8}-[\da-f-]{27}/g, '{}');
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${shape(path)}`),
    );
    const named = everywhere(/`((?:GET|POST|PUT|PATCH|DELETE) \/api\/v1\/[^`?]+)/g);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((route) => !routes.includes(shape(route)))).toEqual([]);
  });

  it('describes every environment variable in docs/operate/configuration.md', () => {
    const known = [...envNames()].filter((name) => !['NODE_ENV', 'NODE_OPTIONS'].includes(name));
    const table = pages.get('docs/operate/configuration.md') ?? '';
    expect(known.filter((name) => !new RegExp(`\\b${name}\\b`).test(table))).toEqual([]);
  });

  it('lists no environment variable that no process reads', () => {
    const table = pages.get('docs/operate/configuration.md') ?? '';
    const rows = [...table.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map((match) => match[1] ?? '');
    const listed = rows.flatMap((row) => [...row.matchAll(/`([A-Z_]+)`/g)].map((match) => match[1] ?? ''));
    expect(listed.length).toBeGreaterThan(60);
    expect(listed.filter((name) => !envNames().has(name))).toEqual([]);
  });

  it('shows, in the README, a first call with fields that the API returns, and a result of at most ten lines', () => {
    const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      components: { schemas: Record<string, { required: string[] }> };
    };
    const shown = [...(pages.get('README.md') ?? '').matchAll(/^```json\n(\{[^]*?)^```$/gm)].map(
      ([, text = '']) => text,
    );
    const [created, result] = shown.map((text) => Object.keys((JSON.parse(text) as { data: object }).data));
    const fieldsOf = (schema: string): string[] => components.schemas[schema]?.required ?? [];
    expect(created).toEqual(fieldsOf('ReducedCallDto'));
    expect(result?.length).toBeGreaterThan(5);
    expect(result?.filter((field) => !fieldsOf('CallWithResultsDto').includes(field))).toEqual([]);
    expect(shown[1]?.trim().split('\n').length).toBeLessThanOrEqual(10);
  });
});
