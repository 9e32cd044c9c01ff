import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { eventually } from '../support/eventually.js';
import { aToken, anAgent, type Workspace } from '../support/factories.js';
import { type KnowledgeBase, KnowledgeClient } from '../support/knowledge-client.js';
import { Service } from '../support/service.js';
import { plain, TestSite } from '../support/test-site.js';

const documentOf = (name: string): Buffer => readFileSync(`test/data/documents/${name}`);
const isDone = ({ status }: KnowledgeBase): boolean => status === 'completed' || status === 'failed';
const FILLER = 'Our shop in the harbour sells kettles and toasters of all sizes. '.repeat(10);

const service = Service.get();
let own: Workspace;
let other: Workspace;
let client: KnowledgeClient;
let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start({
    '/robots.txt': plain('User-agent: *\nDisallow: /private/'),
    '/members': (_, response) => response.writeHead(403).end(),
    '/logo': (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    '/inside': (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    '/app': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<html><body><div id="root"></div>${'<script src="/app.js"></script>'.repeat(12)}</body></html>`),
  });
  [own, other] = await Promise.all([service.account(), service.account()]);
  client = new KnowledgeClient(service, own);
});
afterAll(async () => {
  site?.close();
  await service.close();
});

/** The knowledge base after a worker has processed it. */
const processed = async (begun: Promise<KnowledgeBase>, by = client): Promise<KnowledgeBase> => {
  const { id } = await begun;
  return eventually(() => by.get(id), isDone);
};
/** A client for the knowledge of a new agent. */
const another = async (): Promise<KnowledgeClient> =>
  new KnowledgeClient(service, { ...own, agentId: await anAgent(service.pool, own.accountId) });

describe('a knowledge base', () => {
  it('of a text is found with its headings as soon as it is created, and no longer after its deletion', async () => {
    const { id, status } = await client.text('Zoo', '# Zoo\n\n## Marsupials\n\nThe wombat digs burrows at night.');
    expect(status).toBe('completed');
    expect(await client.search('where does the wombat dig')).toMatchObject([
      { knowledge_base_id: id, title: 'Zoo', source: null, heading_path: ['Zoo', 'Marsupials'], page: null },
    ]);
    await client.delete(id);
    expect(await client.search('wombat')).toEqual([]);
    await expect(client.get(id)).rejects.toMatchObject({ status: 404 });
  });

  it.each<[string, string, { page: number | null }]>([
    ['PDF', 'en_two.pdf', { page: 1 }],
    ['DOCX', 'en_one.docx', { page: null }],
    ['DOC', 'en_two.doc', { page: null }],
  ])('of a %s file is pending, then completed, and the answer to a question is found in it', async (_, name, place) => {
    const by = await another();
    const begun = await by.file(name, documentOf(`handbook/${name}`));
    expect(begun).toMatchObject({ status: 'pending', progress: 0, chunk_count: 0, file_name: name });
    const base = await processed(Promise.resolve(begun), by);
    expect(base).toMatchObject({
      status: 'completed',
      progress: 100,
      processing_error: null,
      quality: 'good',
      language: 'en',
    });
    expect(base.chunk_count).toBeGreaterThan(3);
    const [best] = await by.search('How many spaces does the car park have?', 1);
    expect(best).toMatchObject({
      knowledge_base_id: base.id,
      source: name,
      text: expect.stringContaining('308'),
      ...place,
    });
  });

  it.each([
    ['de_one.docx', 'Wie viele Stellplätze hat der Parkplatz?'],
    ['ru_one.doc', 'Сколько мест на парковке?'],
    ['zh_one.pdf', '停车场有多少个车位？'],
  ])('of the file %s answers a question in its language', async (name, question) => {
    const by = await another();
    const base = await processed(by.file(name, documentOf(`handbook/${name}`)), by);
    expect(base).toMatchObject({ status: 'completed', processing_error: null, language: name.slice(0, 2) });
    expect((await by.search(question)).map(({ text }) => text).join('\n')).toContain('308');
  });

  it('of a Markdown file is found by its headings', async () => {
    const by = await another();
    const warranty = `The element is covered for seven years. ${FILLER.repeat(2)}`;
    await processed(by.file('a.md', `# Manual\n\n## Kettle\n\n${FILLER}\n\n### Warranty\n\n${warranty}`), by);
    expect((await by.search('How long is the warranty of the kettle?'))[0]).toMatchObject({
      ...{ source: 'a.md', heading_path: ['Manual', 'Kettle', 'Warranty'] },
      text: expect.stringContaining('seven years'),
    });
  });

  it('of a CSV file is found by its rows, with the names of the columns', async () => {
    const by = await another();
    const rows = Array.from({ length: 300 }, (_, i) => `article ${i + 1},shelf ${i % 7},${i}.50`).join('\n');
    await processed(by.file('stock.csv', `Article,Place,Price\n${rows}\n`), by);
    const [row] = await by.search('price of article 121');
    expect(row).toMatchObject({ source: 'stock.csv', matched_row: expect.stringContaining('Price: 120.50') });
    expect(row!.rows!.first <= 121 && row!.rows!.last >= 121).toBe(true);
  });

  it('of a web page is read without its menu, and again when it is refreshed; an unchanged page stays as it is', async () => {
    const by = await another();
    const page = (hours: string) => ({ title: 'Hours', text: `${FILLER} We are open ${hours}.`, links: ['/imprint'] });
    site.set({ '/hours': page('from 9 to 18') });
    const base = await processed(by.url(`${site.origin}/hours`), by);
    expect(base).toMatchObject({ status: 'completed', source_reference: `${site.origin}/hours` });
    const found = async () => (await by.search('When are you open?'))[0];
    expect(await found()).toMatchObject({ source: `${site.origin}/hours`, text: expect.stringContaining('9 to 18') });
    await processed(by.reprocess(base.id), by);
    expect(site.unchanged).toEqual(['/hours']);
    site.set({ '/hours': page('from 7 to 16') });
    await processed(by.reprocess(base.id), by);
    expect(await found()).toMatchObject({ text: expect.stringContaining('7 to 16') });
  });

  it('of a site has its pages, whose links are followed within the limits of the crawl', async () => {
    const by = await another();
    site.set({
      '/help': { title: 'Help', text: `${FILLER} Start here.`, links: ['/help/a', '/help/secret', '/elsewhere'] },
      '/help/a': { title: 'Payment', text: `${FILLER} We accept cards from any bank.`, links: [] },
      '/help/secret': { title: 'Secret', text: 'Not for agents.' },
      '/elsewhere': { title: 'Elsewhere', text: 'Not help.' },
    });
    const crawl = { include: ['/help/**', '/help'], exclude: ['/help/secret'] };
    const base = await processed(by.crawl(`${site.origin}/help`, crawl, 'weekly'), by);
    expect(base).toMatchObject({ status: 'completed', refresh_schedule: expect.any(String), pages: { completed: 2 } });
    expect(Date.parse(base.next_refresh_at!)).toBeGreaterThan(Date.now());
    const read = await by.pages(base.id, { state: 'completed' });
    expect(read.map(({ url }) => url).toSorted()).toEqual([`${site.origin}/help`, `${site.origin}/help/a`]);
    expect((await by.search('Which cards do you accept?'))[0]).toMatchObject({ source: `${site.origin}/help/a` });
    expect(site.requests).not.toContain('/help/secret');
  });

  it('of a site follows a change of its settings, and becomes a single page without them', async () => {
    const by = await another();
    site.set({
      '/x': { title: 'X', text: `${FILLER} The first page.`, links: ['/y'] },
      '/y': { title: 'Y', text: `${FILLER} The second page.`, links: ['/z'] },
      '/z': { title: 'Z', text: `${FILLER} The third page.` },
    });
    const { id, ...first } = await processed(by.crawl(`${site.origin}/x`, { max_pages: 1 }), by);
    expect(first).toMatchObject({ pages: { completed: 1, skipped: 1 }, chunk_count: 1 });
    expect(await by.pages(id, { state: 'skipped' })).toMatchObject([{ error_code: 'PAGE_LIMIT' }]);
    const changed = by.change(id, { crawl: { max_depth: 1 } });
    expect(await changed).toMatchObject({ status: 'pending', crawl: { max_depth: 1 } });
    expect(await processed(changed, by)).toMatchObject({ pages: { completed: 2, skipped: 0 }, chunk_count: 2 });
    const single = await processed(by.change(id, { crawl: null }), by);
    expect(single).toMatchObject({ status: 'completed', crawl: null, pages: null, chunk_count: 1 });
  });
});

describe('a document that cannot be read fails with a code and what to do', () => {
  it.each<[string, string, () => Buffer | string]>([
    ['a protected DOCX', 'FILE_ENCRYPTED', () => documentOf('odd/protected.docx')],
    ['a protected DOC', 'FILE_ENCRYPTED', () => documentOf('odd/protected.doc')],
    ['a scanned PDF', 'NO_TEXT_SCANNED', () => documentOf('odd/scanned.pdf')],
    ['a truncated DOCX', 'FILE_CORRUPT', () => documentOf('handbook/en_one.docx').subarray(0, 4_000)],
    ['a blank TXT', 'EMPTY', () => ' \n\t\n '],
  ])('%s: %s', async (name, code, content) => {
    const extension = name.split(' ').at(-1)!.toLowerCase();
    const base = await processed(client.file(`a.${extension}`, content()));
    expect(base).toMatchObject({ status: 'failed', error_code: code, chunk_count: 0, stage: null });
    expect(base.processing_error).toMatch(new RegExp(`^${code}: .+\\. [A-Z].+\\.$`));
  });

  it('a DOCX that is named PDF: TYPE_MISMATCH', async () => {
    const base = await processed(client.file('a.pdf', documentOf('handbook/en_one.docx')));
    expect(base).toMatchObject({ status: 'failed', error_code: 'TYPE_MISMATCH' });
  });

  it.each([
    ['/missing', 'HTTP_404'],
    ['/members', 'HTTP_403'],
    ['/inside', 'URL_BLOCKED'],
    ['/logo', 'UNSUPPORTED_FORMAT'],
    ['/private/x', 'ROBOTS_DISALLOWED'],
    ['/app', 'PAGE_NEEDS_JAVASCRIPT'],
  ])('the page %s: %s', async (path, code) => {
    const base = await processed(client.url(site.origin + path));
    expect(base).toMatchObject({ status: 'failed', error_code: code });
    expect(base.processing_error).toMatch(new RegExp(`^${code}: .+\\. [A-Z].+\\.$`));
  });

  it('and is processed again on request', async () => {
    site.set({ '/later': (_, response) => response.writeHead(404).end() });
    const { id, status } = await processed(client.url(`${site.origin}/later`));
    expect(status).toBe('failed');
    site.set({ '/later': { title: 'Later', text: `${FILLER} The zeppelin departs at noon.` } });
    expect(await processed(client.reprocess(id))).toMatchObject({ status: 'completed', processing_error: null });
    expect((await client.search('zeppelin'))[0]).toMatchObject({ knowledge_base_id: id });
  });
});

describe('a search', () => {
  it('ranks the passage that answers the question before others that share its words', async () => {
    const by = await another();
    await by.text(
      'Terms',
      `# Kettle\n\n${FILLER}\n\n# Warranty\n\nThe warranty of the kettle is seven years.\n\n# Toaster\n\n${FILLER}`,
    );
    const found = await by.search('How long is the warranty of the kettle?', 20);
    expect(found[0]!.text).toContain('seven years');
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(await by.search('warranty', 1)).toHaveLength(1);
  });

  it('finds only active knowledge of its agent, own or shared', async () => {
    const [first, second] = [await another(), await another()];
    const { agent_id: guest } = await second.text('Own', 'The quokka smiles.');
    const shared = await first.text('Shared', 'The numbat eats termites.', [guest]);
    await first.text('Private', 'The numbat has stripes.');
    const titles = async (by: KnowledgeClient) => (await by.search('numbat')).map(({ title }) => title).toSorted();
    expect(await titles(first)).toEqual(['Private', 'Shared']);
    expect(await titles(second)).toEqual(['Shared']);
    await expect(second.delete(shared.id)).rejects.toMatchObject({ status: 409 });
    await first.change(shared.id, { is_active: false });
    expect([await titles(first), await titles(second)]).toEqual([['Private'], []]);
    await first.change(shared.id, { is_active: true, agent_ids: [] });
    expect([await titles(first), await titles(second)]).toEqual([['Private', 'Shared'], []]);
  });
});

describe('the knowledge of another account', () => {
  it('is 404 for every request', async () => {
    const { id } = await client.text('Recipe', 'The recipe needs saffron.');
    const where = `/api/v1/agents/${own.agentId}/knowledge-bases`;
    const as = service.as(other.token);
    const body = { title: 'x', source_type: 'text', content: 'x' };
    for (const answer of [
      ...[await as.get(where), await as.post(where).send(body), await as.post(`${where}/search`).send({ query: 'x' })],
      ...[await as.get(`${where}/${id}`), await as.put(`${where}/${id}`).send({ title: 'x' })],
      ...[
        await as.delete(`${where}/${id}`),
        await as.post(`${where}/${id}/reprocess`),
        await as.get(`${where}/${id}/pages`),
      ],
      await as.get(`${where}/tests`),
    ])
      expect([answer.status, Object.keys(answer.body as object)]).toEqual([404, ['message']]);
    const token = await aToken(service.pool, own.accountId, ['knowledge:read']);
    expect((await service.as(token).delete(`${where}/${id}`)).status).toBe(403);
    expect(await client.get(id)).toMatchObject({ title: 'Recipe' });
  });
});
