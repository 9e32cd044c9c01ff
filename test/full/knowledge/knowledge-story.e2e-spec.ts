import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DocumentEvents } from '../../support/document-events.js';
import { KnowledgeClient, type KnowledgeBase, type Passage } from '../../support/knowledge-client.js';
import { Stack } from '../../support/stack.js';
import { documentPath, largeOnly } from '../../support/test-data.js';
import { wordFile } from '../../support/word-file.js';
import { createAccount } from '../../support/workspace.js';

const SENTENCE = 'The warranty of the kettle covers its element for seven years.';
const FILLER = 'Nothing here is about household appliances. '.repeat(12);
const NOISE = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 32));
const BOMB = gzipSync(Buffer.alloc(60_000_000, 'x '));

let stack: Stack;
let events: DocumentEvents;
let client: KnowledgeClient;
let site: Server;
let origin: string;

beforeAll(async () => {
  site = createServer(answer).listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  // The first loopback address acts as public, the others as internal.
  stack = await Stack.start({ dialers: 0, env: { EGRESS_ALLOW_CIDRS: '127.0.0.1/32' } });
  events = await DocumentEvents.subscribe(stack.database.url);
  client = new KnowledgeClient(stack, await createAccount(stack, { name: 'acme' }));
});
afterAll(async () => {
  await events?.close();
  await stack?.stop();
  site.closeAllConnections();
  site.close();
});

const documentOf = (name: string): Buffer => readFileSync(documentPath(name));

async function processed(begun: Promise<KnowledgeBase>): Promise<KnowledgeBase> {
  const { id } = await begun;
  await events.ended([id]);
  return client.get(id);
}

/** Expects a passage of this knowledge base with the answer among the best five. */
async function found(id: number, query: string, answer: string): Promise<Passage | undefined> {
  const passages = await client.search(query);
  return passages.find((passage) => passage.knowledge_base_id === id && passage.text.includes(answer));
}

/** The answer to each question is 308. */
describe('a question in the language of the document finds its passage', () => {
  it.each<[string, string]>([
    ['handbook/en_two.pdf', 'How many spaces are there for cars on pier 3?'],
    ['handbook/en_one.docx', 'How many spaces are there for cars on pier 3?'],
    ['handbook/en_two.doc', 'How many spaces are there for cars on pier 3?'],
    ['handbook/de_one.docx', 'Wie viele Stellplätze hat der Parkplatz?'],
    ['handbook/ru_one.doc', 'Сколько мест на парковке?'],
    ['handbook/zh_one.pdf', '停车场有多少个车位？'],
    ...largeOnly<[string, string]>(
      ['made/en_two.pdf', 'How many points did the Panthers defense surrender?'],
      ['made/en_one.docx', 'How many points did the Panthers defense surrender?'],
      ['made/en_two.doc', 'How many points did the Panthers defense surrender?'],
      ['made/de_one.docx', 'Wie viele Punkte gab die Verteidigung der Panthers ab?'],
      ['made/ru_one.doc', 'Сколько очков уступила защита Пэнтерс?'],
      ['made/zh_one.pdf', '黑豹队的防守丢了多少分？'],
    ),
  ])('in %s', async (path, question) => {
    const name = basename(path);
    const document = await processed(client.file(name, documentOf(path)));
    expect(document).toMatchObject({ status: 'completed', processing_error: null, stage: null, progress: 100 });
    expect(document.word_count).toBeGreaterThan(100);
    const passage = await found(document.id, question, '308');
    expect(passage).toMatchObject({ source: name, page: name.endsWith('.pdf') ? 1 : null });
    await client.delete(document.id);
  });
});

const WORD_RUN = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const OFFER = `<p>The ferry pass costs $12<sup>99</sup> instead of <del>$20</del>.</p>
  <p><a href="mailto:pass@ferry.example">Order the ferry pass</a></p><p hidden>The ferry pass costs us 3 euros.</p>`;
const ANSWERS = ['$12.99', 'pass@ferry.example'];
const NEVER = /1299|20|3 euros/;

describe('a fact that a format writes by its markup is found, and a text that it hides or strikes is not', () => {
  it.each<[string, () => Promise<KnowledgeBase>]>([
    ['a text', () => client.text('Offer', `# Ferry pass\n\n${OFFER}`)],
    [
      'Markdown',
      () =>
        client.file(
          'offer.md',
          '# Ferry pass\n\nThe ferry pass costs $12<sup>99</sup> instead of ~~$20~~.\n\nOrder the ferry pass from <pass@ferry.example>.\n',
        ),
    ],
    ['a web page', () => client.url(`${origin}/offer`)],
    [
      'DOCX',
      () =>
        client.file(
          'offer.docx',
          wordFile({
            body: `<w:p><w:fldSimple w:instr="TITLE">${WORD_RUN('The ferry pass')}</w:fldSimple>${WORD_RUN(' costs $12')}${WORD_RUN('99', '<w:vertAlign w:val="superscript"/>')}${WORD_RUN(' instead of ')}${WORD_RUN('$20', '<w:strike/>')}${WORD_RUN('3 euros', '<w:vanish/>')}.</w:p><w:p><w:fldSimple w:instr='HYPERLINK "mailto:pass@ferry.example"'>${WORD_RUN('Order the ferry pass')}</w:fldSimple></w:p>`,
          }),
        ),
    ],
  ])('in %s', async (_, begin) => {
    const begun = await begin();
    if (begun.status !== 'completed') await events.ended([begun.id]);
    expect(await client.get(begun.id)).toMatchObject({ status: 'completed', processing_error: null });
    const passages = (await client.search('ferry pass')).filter((passage) => passage.knowledge_base_id === begun.id);
    const text = passages.map((passage) => passage.text).join('\n');
    for (const answer of ANSWERS) expect(text).toContain(answer);
    expect(text).toContain('The ferry pass costs');
    expect(text).not.toMatch(NEVER);
    await client.delete(begun.id);
  });

  it('in a text with addresses and types in angle brackets', async () => {
    const { id } = await client.text(
      'Contacts',
      'Write to Jane <jane@example.com> about `Map<String>` or Map<String, Integer>.',
    );
    expect((await client.search('write to Jane'))[0]?.text).toBe(
      'Write to Jane jane@example.com about Map<String> or Map<String, Integer>.',
    );
    await client.delete(id);
  });
});

describe('a passage contains its position', () => {
  it('in Markdown: the headings', async () => {
    const text = `# Manual\n\n${FILLER}\n\n## Kettle\n\n### Warranty\n\n${SENTENCE} ${FILLER.repeat(2)}\n\n## Toaster\n\n${FILLER}`;
    const document = await processed(client.file('manual.md', text));
    const passage = await found(document.id, 'How long is the warranty of the kettle?', SENTENCE);
    expect(passage?.heading_path).toEqual(['Manual', 'Kettle', 'Warranty']);
    await client.delete(document.id);
  });

  it('in a table: the rows, with the column name of each value', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => `article ${i + 1},shelf ${i % 7},${i}.50`);
    const document = await processed(client.file('stock.csv', `Article,Place,Price\n${rows.join('\n')}\n`));
    const passage = await found(document.id, 'price of article 321', 'Price: 320.50');
    expect(passage?.rows?.first).toBeLessThanOrEqual(321);
    expect(passage?.rows?.last).toBeGreaterThanOrEqual(321);
    await client.delete(document.id);
  });

  it.each([
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(SENTENCE, 'utf16le')])],
    ['Windows-1252', Buffer.from(`${'Café déjà vu, naïve façade, über größer. '.repeat(20)}\n\n${SENTENCE}`, 'latin1')],
  ])('in plain text: the offsets, with the encoding %s', async (_, bytes) => {
    const document = await processed(client.file('plain.txt', bytes));
    expect(document).toMatchObject({ status: 'completed' });
    expect(await found(document.id, 'kettle warranty', SENTENCE)).toBeDefined();
    await client.delete(document.id);
  });

  it('in the article of a page, without the menu, also after the page changed', async () => {
    const document = await processed(client.url(`${origin}/article`));
    expect(document).toMatchObject({ status: 'completed' });
    const passage = await found(document.id, 'kettle warranty', SENTENCE);
    expect(passage?.source).toBe(`${origin}/article`);
    expect(passage?.text).not.toContain('Imprint');
    years = 'ninety';
    await client.reprocess(document.id);
    await events.ended([document.id]);
    expect(await found(document.id, 'kettle warranty', 'ninety years')).toBeDefined();
    await client.delete(document.id);
  });
});

it.each(['/as-octets', '/as-image', '/as-text', '/as-latin-1'])(
  'a page whose server sends a wrong type or charset is read by its bytes: %s',
  async (path) => {
    const document = await processed(client.url(origin + path));
    expect(document).toMatchObject({ status: 'completed' });
    expect((await client.search('kettle café'))[0]).toMatchObject({ text: expect.stringContaining('Café') });
    await client.delete(document.id);
  },
);

describe('an unreadable document fails with a code and a remedy', () => {
  const failure = (code: string) => ({
    status: 'failed',
    error_code: code,
    processing_error: expect.stringMatching(new RegExp(`^${code}: .+\\. [A-Z].+\\.$`)),
    stage: null,
    chunk_count: 0,
  });

  it.each<[string, string]>([
    ['odd/protected.docx', 'FILE_ENCRYPTED'],
    ['odd/protected.doc', 'FILE_ENCRYPTED'],
    ['odd/scanned.pdf', 'NO_TEXT_SCANNED'],
    ...largeOnly<[string, string]>(
      ['real/protected_normal_case.docx', 'FILE_ENCRYPTED'],
      ['real/testWORD_protected_passtika.doc', 'FILE_ENCRYPTED'],
      ['real/testWORD_truncated.docx', 'FILE_CORRUPT'],
      ['real/testOCR.pdf', 'NO_TEXT_SCANNED'],
    ),
  ])('%s: %s', async (path, code) => {
    expect(await processed(client.file(basename(path), documentOf(path)))).toMatchObject(failure(code));
  });

  it('a truncated DOCX: FILE_CORRUPT', async () => {
    const whole = documentOf('handbook/en_one.docx');
    const begun = client.file('cut.docx', whole.subarray(0, whole.length / 2));
    expect(await processed(begun)).toMatchObject(failure('FILE_CORRUPT'));
  });

  it('a DOCX named .pdf: TYPE_MISMATCH', async () => {
    const begun = client.file('a.pdf', documentOf('handbook/en_one.docx'));
    expect(await processed(begun)).toMatchObject(failure('TYPE_MISMATCH'));
  });

  it('a blank text: EMPTY', async () => {
    expect(await processed(client.file('blank.txt', ' \n\t\n '))).toMatchObject(failure('EMPTY'));
  });

  it('a binary file named .txt: TYPE_MISMATCH', async () => {
    expect(await processed(client.file('noise.txt', NOISE))).toMatchObject(failure('TYPE_MISMATCH'));
  });

  it.each([
    ['/missing', 'HTTP_404'],
    ['/members', 'HTTP_403'],
    ['/inside', 'URL_BLOCKED'],
    ['/for-ever', 'TOO_MANY_REDIRECTS'],
    ['/logo', 'UNSUPPORTED_FORMAT'],
    ['/huge', 'URL_TOO_LARGE'],
    ['/bomb', 'URL_TOO_LARGE'],
    ['/private/x', 'ROBOTS_DISALLOWED'],
    ['/app', 'PAGE_NEEDS_JAVASCRIPT'],
    ['/not-a-pdf', 'TYPE_MISMATCH'],
  ])('%s: %s', async (path, code) => {
    expect(await processed(client.url(origin + path))).toMatchObject(failure(code));
  });

  it.each([
    ['/down', 'HTTP_503'],
    ['/hangs-up', 'URL_UNREACHABLE'],
  ])('%s: %s, and is retried', async (path, code) => {
    const waits = events.next(({ status, attempt }) => status === 'pending' && attempt === 1);
    const { id } = await client.url(origin + path);
    await waits;
    expect(await client.get(id)).toMatchObject({ status: 'pending', attempt: 1, error_code: code });
    await client.delete(id);
  });
});

let years = 'seven';

function answer(...[request, response]: Parameters<RequestListener>): void {
  const html = (text: string): unknown =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text);
  const utf8 = (type: string): unknown =>
    response.writeHead(200, { 'content-type': type }).end(`<!doctype html><p>Café: ${SENTENCE} ${FILLER}</p>`);
  const redirect = (location: string): unknown => response.writeHead(302, { location }).end();
  const pages: Record<string, () => unknown> = {
    '/robots.txt': () =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /private/'),
    '/article': () =>
      html(`<html><head><title>Kettles</title></head><body><nav><a href="/imprint">Imprint</a></nav><article><h1>Kettles</h1>
        <p>${FILLER}</p><p>${SENTENCE.replace('seven', years)}</p></article></body></html>`),
    '/offer': () => html(`<html><body><h1>Ferry pass</h1>${OFFER}</body></html>`),
    '/as-octets': () => utf8('application/octet-stream'),
    '/as-image': () => utf8('image/png'),
    '/as-text': () => utf8('text/plain'),
    '/as-latin-1': () => utf8('text/html; charset=iso-8859-1'),
    '/members': () => response.writeHead(403).end(),
    '/inside': () => redirect('http://127.0.0.2:5432/'),
    '/for-ever': () => redirect('/for-ever'),
    '/logo': () => response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    '/huge': () => response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.alloc(11_000_000, 'x ')),
    '/bomb': () => response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(BOMB),
    '/app': () =>
      html(`<html><body><div id="root"></div>${'<script src="/app.js"></script>'.repeat(12)}</body></html>`),
    '/not-a-pdf': () =>
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('<html>Please sign in</html>'),
    '/down': () => response.writeHead(503).end(),
    '/hangs-up': () => request.socket.destroy(),
  };
  const page = pages[request.url ?? ''] ?? (() => response.writeHead(404).end());
  page();
}
