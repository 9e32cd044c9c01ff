import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseDocument } from 'htmlparser2';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { ignoring, stagesOf } from '../../scripts/dockerfile.mjs';

interface Element {
  name?: string;
  attribs?: Record<string, string>;
  children?: Element[];
  data?: string;
}

let folder: string;
const pages = new Map<string, Element[]>();

const allIn = (nodes: readonly Element[]): Element[] => nodes.flatMap((node) => [node, ...allIn(node.children ?? [])]);

const problems = (find: (page: string, element: Element) => string | undefined): string[] =>
  [...pages].flatMap(([page, elements]) =>
    elements.flatMap((element) => {
      const problem = find(page, element);
      return problem === undefined ? [] : [`${page}: ${problem}`];
    }),
  );

beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'trunkline-guide-')), 'guide');
  execFileSync(process.execPath, ['apps/guide/build.mjs', '--to', folder]);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  ))
    pages.set(name, allIn(parseDocument(readFileSync(join(folder, name), 'utf8')).children));
});

afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

/** The file for an address below /guide/, as the api finds it. */
const fileOf = (address: string): string | undefined =>
  [address === '' || address.endsWith('/') ? `${address}index.html` : address, `${address}.html`].find(
    (name) => existsSync(join(folder, name)) && !name.endsWith('/'),
  );

/** undefined: the link of a page leads somewhere. The page for missing addresses has the way to the root instead of its own. */
function linkProblem(page: string, link: string): string | undefined {
  if (/^(?:https?|mailto):/.test(link)) return undefined;
  const [path = '', anchor] = link.replace('{{root}}', '').split('#');
  const address = posix.join(posix.dirname(page), path).replace(/^\.\/?$/, '');
  const file = path === '' && !link.startsWith('{{root}}') ? page : fileOf(address);
  if (file === undefined) return link;
  const isThere = anchor === undefined || pages.get(file)?.some(({ attribs }) => attribs?.id === anchor);
  return isThere ? undefined : link;
}

describe('the guide', () => {
  it('has a page for each page of docs', () => {
    const sources = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const missing = sources.filter((name) => !fileOf(name.replace(/\.md$/, '').replace(/(^|\/)README$/, '$1')));
    expect([sources.length > 100, missing]).toEqual([true, []]);
  });

  it('links only to pages, headings and files that it has, and to other sites', () => {
    const links = [...pages.values()].flat().filter(({ name }) => name === 'a').length;
    expect(links).toBeGreaterThan(1_000);
    expect(
      problems((page, { attribs = {} }) =>
        [attribs.href, attribs.src, attribs.srcset]
          .flatMap((link) => (link ? [linkProblem(page, link)] : []))
          .find(Boolean),
      ),
    ).toEqual([]);
  });

  it('has no script, style or handler within a page, which the policy of the api refuses', () => {
    expect(
      problems((_page, { name, attribs = {}, children = [] }) => {
        if (name === 'script' && children.length > 0) return '<script>';
        if (name === 'style') return '<style>';
        return Object.keys(attribs).find((one) => one === 'style' || one.startsWith('on'));
      }),
    ).toEqual([]);
  });

  it('lists the map of the documentation as its menu', () => {
    const menu = pages.get('index.html')?.find(({ attribs }) => attribs?.id === 'menu');
    const addresses = allIn(menu?.children ?? []).flatMap(({ name, attribs }) => (name === 'a' ? [attribs?.href] : []));
    expect(addresses).toEqual(
      expect.arrayContaining([
        'integrate/',
        'integrate/go-live',
        'knowledge',
        'operate/upgrades',
        'operate/runbooks/',
        'decisions/',
      ]),
    );
  });

  it('has the words of each page in the index of its search', () => {
    const sections = JSON.parse(readFileSync(join(folder, 'search.json'), 'utf8')) as string[][];
    const found = new Set(sections.map(([address]) => fileOf(address?.split('#')[0] ?? '')));
    expect([...pages.keys()].filter((page) => page !== '404.html' && !found.has(page))).toEqual([]);
    expect(sections).toContainEqual([
      'knowledge#sharing',
      'Knowledge bases',
      'Sharing',
      expect.stringContaining('agent_ids'),
    ]);
  });

  it('can be built in the image: every file that it needs is copied into its first stage', () => {
    const isIgnored = ignoring(readFileSync('.dockerignore', 'utf8'));
    const [build] = stagesOf(readFileSync('Dockerfile', 'utf8'));
    const copied = (build?.instructions ?? [])
      .filter(({ keyword }) => keyword === 'COPY')
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
    const files = readdirSync(join(folder, 'files'), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replace(/\.txt$/, ''))
      .filter((name) => /\.\w+$|\/|^[A-Z]/.test(name) && existsSync(name) && !name.startsWith('diagram-'));
    expect(files.length).toBeGreaterThan(20);
    const isCopied = (name: string): boolean => copied.some((path) => name === path || name.startsWith(`${path}/`));
    expect(files.filter((name) => isIgnored(name) || !isCopied(name))).toEqual([]);
  });
});
