import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { DocumentEvents } from '../../support/document-events.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { htmlOf, plain, redirectTo, type SitePage, TestSite, xml } from '../../support/test-site.js';
import { createAccount } from '../../support/workspace.js';

let stack: Stack;
let client: KnowledgeClient;
let events: DocumentEvents;
const sites: TestSite[] = [];

beforeAll(async () => {
  stack = await Stack.start({ dialers: 0, env: { EGRESS_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'warn' } });
  events = await DocumentEvents.subscribe(stack.database.url);
  client = new KnowledgeClient(stack, await createAccount(stack, { name: 'acme' }));
});
afterAll(async () => {
  await events?.close();
  await stack?.stop();
});
afterEach(() => {
  for (const site of sites.splice(0)) site.close();
});

const FILLER = 'Every device is delivered with a manual and a list of spare parts. '.repeat(6);
const page = (title: string, text: string, ...links: string[]): SitePage => ({
  title,
  text: `${text} ${FILLER}`,
  links,
});

async function siteOf(pages: Parameters<typeof TestSite.start>[0]): Promise<TestSite> {
  const site = await TestSite.start(pages);
  sites.push(site);
  return site;
}

/** A completed or failed crawl, with its pages by path. */
async function crawled(url: string, settings: Parameters<KnowledgeClient['crawl']>[1] = {}) {
  const { id } = await client.crawl(url, settings);
  await events.ended([id]);
  return state(id);
}

async function state(id: number) {
  const pages = await client.pages(id);
  const byPath = Object.fromEntries(pages.map((one) => [pathOf(one.url), one]));
  const states = Object.fromEntries(pages.map((one) => [pathOf(one.url), one.error_code ?? one.state]));
  return { base: await client.get(id), byPath, states };
}

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

describe('a crawl of a site', () => {
  it('reads each page once, follows the rules of the site and lists the pages with their states', async () => {
    const elsewhere = await siteOf({ '/': page('Elsewhere', 'Another site.') });
    const site = await siteOf({
      '/robots.txt': plain('User-agent: *\nDisallow: /private'),
      '/': page(
        'Start',
        'Welcome.',
        '/returns',
        '/returns/',
        '/returns#top',
        '/returns?utm_source=x',
        '/moved',
        '/missing',
        '/secret rel="nofollow"',
        '/private/a',
        '/copy?sort=1',
        '/logo.png',
        'mailto:a@b.c',
        `${elsewhere.origin}/`,
        '/away',
      ),
      '/returns': page('Returns', 'Goods can be returned within thirty days.', '/', '/warranty'),
      '/warranty': page('Warranty', 'The element of the kettle is covered for seven years.', '/returns', '/hidden'),
      '/moved': redirectTo('/hours'),
      '/hours': page('Hours', 'The shop opens at nine.'),
      '/copy?sort=1': {
        ...page('Hours', 'The shop opens at nine o’clock.'),
        head: '<link rel="canonical" href="/hours">',
      },
      '/away': redirectTo(`${elsewhere.origin}/`),
      '/secret': page('Secret', 'No other page leads here.'),
      '/private/a': page('Private', 'Robots stay outside.'),
      '/hidden': { ...page('Hidden', 'Not for the index.', '/behind'), head: '<meta name="robots" content="noindex">' },
      '/behind': {
        ...page('Behind', 'The end of the chain.', '/unfollowed'),
        head: '<meta name="robots" content="nofollow">',
      },
      '/unfollowed': page('Unfollowed', 'Never read.'),
    });
    const { base, states } = await crawled(`${site.origin}/`);
    expect(states).toEqual({
      '/': 'completed',
      '/returns': 'completed',
      '/warranty': 'completed',
      '/moved': 'DUPLICATE_PAGE',
      '/hours': 'completed',
      '/copy?sort=1': 'DUPLICATE_PAGE',
      '/away': 'OTHER_SITE',
      '/missing': 'HTTP_404',
      '/private/a': 'ROBOTS_DISALLOWED',
      '/hidden': 'PAGE_NOINDEX',
      '/behind': 'completed',
    });
    expect(base).toMatchObject({
      status: 'completed',
      crawl: {},
      pages: { total: 11, completed: 5, failed: 1, pending: 0, skipped: 5 },
      error_code: null,
      progress: 100,
    });
    expect(new Set(site.requests).size).toBe(site.requests.length);
    const [best] = await client.search('How long is the kettle covered?');
    expect(best).toMatchObject({
      knowledge_base_id: base.id,
      source: `${site.origin}/warranty`,
      heading_path: ['Warranty'],
    });
    expect((await client.pages(base.id, { state: 'failed' })).map(({ url }) => pathOf(url))).toEqual(['/missing']);
    await client.delete(base.id);
  });

  it('reads the pages of a sitemap, of an index of sitemaps and of a compressed one', async () => {
    const entries = (...paths: string[]) =>
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc> ${site.origin}${path}&amp;x=1 </loc></url>`).join('')}</urlset>`;
    const site = await siteOf({});
    site.set({
      '/sitemap.xml': xml(
        `<sitemapindex><sitemap><loc>${site.origin}/one.xml</loc></sitemap><sitemap><loc>${site.origin}/two.xml.gz</loc></sitemap>
         <sitemap><loc>${site.origin}/missing.xml</loc></sitemap></sitemapindex>`,
      ),
      '/one.xml': xml(entries('/a?b=1')),
      '/two.xml.gz': (_, response) =>
        response.writeHead(200, { 'content-type': 'application/gzip' }).end(gzipSync(entries('/c?d=1'))),
      '/a?b=1&x=1': page('A', 'The first page of the sitemap.', '/linked'),
      '/c?d=1&x=1': page('C', 'The second page of the sitemap.'),
      '/linked': page('Linked', 'A page outside of the sitemap.'),
    });
    const { base, states } = await crawled(`${site.origin}/sitemap.xml`);
    expect(states).toEqual({ '/a?b=1&x=1': 'completed', '/c?d=1&x=1': 'completed', '/missing.xml': 'HTTP_404' });
    expect(base).toMatchObject({ status: 'completed', pages: { total: 3, completed: 2, failed: 1 } });
    await client.delete(base.id);
  });

  it('continues on the origin that its start redirects to', async () => {
    const target = await siteOf({
      '/home': page('Home', 'Welcome home.', '/more'),
      '/more': page('More', 'Further text.'),
    });
    const start = await siteOf({ '/': redirectTo(`${target.origin}/home`) });
    const { base, states } = await crawled(`${start.origin}/`);
    expect(states).toEqual({ '/home': 'completed', '/more': 'completed' });
    await client.delete(base.id);
  });

  it('respects the Crawl-delay of the site and needs no turn of a worker while it waits', async () => {
    const times: number[] = [];
    const slow =
      (title: string, ...links: string[]) =>
      (_: unknown, response: Parameters<ReturnType<typeof plain>>[1]) => {
        times.push(performance.now());
        response.writeHead(200, { 'content-type': 'text/html' }).end(htmlOf(page(title, title, ...links)));
      };
    const site = await siteOf({
      '/robots.txt': plain('User-agent: *\nCrawl-delay: 1'),
      '/': slow('Start', '/a', '/b'),
      '/a': slow('A'),
      '/b': slow('B'),
    });
    const { base } = await crawled(`${site.origin}/`);
    expect(base).toMatchObject({ status: 'completed', attempt: 1, pages: { completed: 3 } });
    for (const [at, time] of times.slice(1).entries()) expect(time - times[at]!).toBeGreaterThan(950);
    await client.delete(base.id);
  });

  it.each([
    ['whose start is missing', {}, 'HTTP_404'],
    [
      'whose start is blocked by robots.txt',
      { '/robots.txt': plain('User-agent: *\nDisallow: /') },
      'ROBOTS_DISALLOWED',
    ],
    ['without a page that its patterns allow', { '/': page('Start', 'Welcome.') }, 'NO_READABLE_PAGES'],
  ])('fails %s', async (_, pages, code) => {
    const site = await siteOf(pages);
    const { base, states } = await crawled(`${site.origin}/`, { include: ['/docs'] });
    expect(base).toMatchObject({ status: 'failed', error_code: code, chunk_count: 0 });
    expect(Object.keys(states)).toEqual(['/']);
    await client.delete(base.id);
  });
});

it('a killed worker continues a crawl where it stopped, without a second request or passage of a page', async () => {
  const links = Array.from({ length: 8 }, (_, i) => `/p${i}`);
  let held: (() => void) | undefined;
  const hold = (title: string) => (_: unknown, response: Parameters<ReturnType<typeof plain>>[1]) => {
    const answer = (): void =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end(htmlOf(page(title, `Text of ${title}.`)));
    if (held) answer();
    else held = answer;
  };
  const site = await siteOf({
    '/': page('Start', 'Welcome.', ...links),
    ...Object.fromEntries(links.map((path) => [path, page(path, `Text of ${path}.`)])),
    '/p5': hold('/p5'),
  });
  const { id } = await client.crawl(`${site.origin}/`);
  // The page after the held one proves that the worker has stored the pages before.
  while (!site.requests.includes('/p5')) await site.requested(site.requests.length + 1);
  const worker = stack.processes.find(({ role }) => role === 'worker')!;
  await stack.kill(worker);
  const before = [...site.requests];
  const { pages } = await client.get(id);
  expect(pages!.completed).toBeGreaterThanOrEqual(4);
  await events.expireLeases();
  await stack.add('worker');
  await events.ended([id]);
  const { base, byPath } = await state(id);
  expect(base).toMatchObject({ status: 'completed', pages: { completed: 9, failed: 0, pending: 0 } });
  const again = site.requests.slice(before.length);
  expect(again.length).toBeLessThanOrEqual(9 - pages!.completed);
  expect(base.chunk_count).toBe(Object.values(byPath).reduce((sum, one) => sum + one.chunk_count, 0));
  expect(base.chunk_count).toBe(9);
  await client.delete(id);
});
