import { readFile } from 'node:fs/promises';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { Block, BlockConsumer } from '../blocks.js';
import { BlockWriter, cleanLine } from './block-writer.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts, ExtractHints } from './document-formats.js';
import { HtmlBody, type HtmlNode, sizeOf } from './html-body.js';
import { type DecodedText, decodeText } from './decode-text.js';

/** A shorter article is a teaser or a cookie notice; the whole text of the page is used instead. */
const ARTICLE_CHARACTERS = 200;
const ARTICLE_SHARE = 0.25;
/** Real pages are about 30 levels deep; the running time of the parser grows with the depth. */
const DEEPEST = 400;
/** Readability visits all siblings of each node several times: 60,000 siblings took 19 s. */
const MOST_NODES = 100_000;
const MOST_SIBLINGS = 5_000;

export async function extractHtml(path: string, take: BlockConsumer, hints: ExtractHints = {}): Promise<DocumentFacts> {
  const { text: html, charset } = decodeHtml(await readFile(path), hints.charset);
  const { blocks, title } = readPage(html);
  if (blocks.length === 0 || isShell(html, blocks)) throw emptyPage(html);
  for (const block of blocks) take(block);
  return title === '' ? { charset } : { charset, title };
}

interface Page {
  blocks: Block[];
  title: string;
}

function readPage(html: string): Page {
  const source = withoutNoise(html);
  if (depthOf(source) > DEEPEST) return strippedPage(source);
  const document = documentOf(source);
  const whole = blocksOf(document);
  const article = articleOf(document);
  const enough = article.characters >= Math.max(ARTICLE_CHARACTERS, whole.characters * ARTICLE_SHARE);
  return { blocks: (enough ? article : whole).blocks, title: titleOf(source) };
}

/** The document type of linkedom, whose types require the DOM library of a browser. */
type HtmlDocument = ConstructorParameters<typeof Readability>[0];

/** Wraps a fragment in html and body, which linkedom does not do. */
function documentOf(source: string): HtmlDocument {
  const isWhole = /<(?:html|body)\b/i.test(source);
  return parseHTML(isWhole ? source : `<!doctype html><html><body>${source}</body></html>`).document;
}

interface ReadBlocks {
  blocks: Block[];
  characters: number;
}

function blocksOf(node: object, title?: string): ReadBlocks {
  const blocks: Block[] = [];
  const writer = new BlockWriter((block) => void blocks.push(block));
  new HtmlBody(writer, title).write(node as HtmlNode);
  return { blocks, characters: writer.characters };
}

/**
 * Modifies the document. Readability turns an article's first-level headings into second-level ones; its title is the
 * first level.
 */
function articleOf(document: HtmlDocument): ReadBlocks {
  const nothing = { blocks: [], characters: 0 };
  const size = sizeOf(document);
  if (size.nodes > MOST_NODES || size.siblings > MOST_SIBLINGS) return nothing;
  const heading = onlyHeading(document);
  const article = new Readability<object>(document, { serializer: (content) => content }).parse();
  return article?.content ? blocksOf(article.content, heading ?? cleanLine(article.title ?? '')) : nothing;
}

/** The only first-level heading of a page is a better title than `<title>`, which contains the name of the site. */
function onlyHeading(document: HtmlDocument): string | undefined {
  const [first, ...others] = document.querySelectorAll('h1');
  return first && others.length === 0 ? cleanLine(first.textContent ?? '') || undefined : undefined;
}

function strippedPage(source: string): Page {
  const blocks: Block[] = [];
  const writer = new BlockWriter((block) => void blocks.push(block));
  for (const line of strippedLines(source.replace(/<title\b[^<]{0,1000}<\/title/i, '')))
    writer.paragraph(cleanLine(line));
  return { blocks, title: titleOf(source) };
}

function titleOf(source: string): string {
  const [line = ''] = strippedLines(/<title\b[^<>]*>([^<]{0,1000})/i.exec(source)?.[1] ?? '');
  return cleanLine(line);
}

const scriptsIn = (html: string): number => html.match(/<script\b/gi)?.length ?? 0;

/** A page with "Loading…" and several scripts builds its text in the browser. */
function isShell(html: string, blocks: Block[]): boolean {
  const characters = blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : 100), 0);
  return characters < ARTICLE_CHARACTERS && scriptsIn(html) >= 3;
}

function emptyPage(html: string): DocumentProblem {
  return scriptsIn(html) > 0
    ? new DocumentProblem('PAGE_NEEDS_JAVASCRIPT')
    : new DocumentProblem('EMPTY', 'The page contains no text.');
}

/** Void elements and elements with optional end tags. */
const VOID =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|path|p|li|td|tr|th|option|dd|dt)$/i;
const META_WITHIN = 4096;

/** Decodes a page: byte order mark first, then the charset of the Content-Type, then the page's declaration. */
export function decodeHtml(bytes: Uint8Array, charset: string | undefined): DecodedText {
  const head = Buffer.from(bytes.subarray(0, META_WITHIN)).toString('latin1');
  const meta = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:-]{1,40})/i.exec(head)?.[1];
  return decodeText(bytes, [charset, meta]);
}

/** Maximum number of elements open at a time, estimated without a parser. */
function depthOf(html: string): number {
  let [depth, deepest] = [0, 0];
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (VOID.test(name)) continue;
    depth = slash === '' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Longer tags are hostile: their attributes are searched one by one. */
const LONGEST_TAG = 20_000;

/** Removes comments, scripts, styles and drawings, and the attributes of overlong tags. */
function withoutNoise(html: string): string {
  const visible = withoutElements(html);
  let cut = '';
  let from = 0;
  for (const { index, 0: tag } of visible.matchAll(/<[a-z][^<>]*>?/gi)) {
    if (tag.length <= LONGEST_TAG) continue;
    cut += `${visible.slice(from, index)}${/^<[a-z0-9]{1,20}/i.exec(tag)?.[0] ?? '<x'}>`;
    from = index + tag.length;
  }
  return cut + visible.slice(from);
}

/**
 * Removes elements from `<script` to `</script>`. A missing end tag is searched only once, so that a million open
 * tags take linear time.
 */
function withoutElements(html: string): string {
  const kept: string[] = [];
  const opening = /<!--|<(script|style|noscript|template|svg|iframe|object|select|canvas)\b/gi;
  const missing = new Set<string>();
  let from = 0;
  for (let found = opening.exec(html); found; found = opening.exec(html)) {
    const close = found[1] === undefined ? '-->' : `</${found[1].toLowerCase()}`;
    const end = endAfter(html, close, opening.lastIndex, missing);
    kept.push(html.slice(from, found.index), ' ');
    from = end;
    opening.lastIndex = end;
  }
  return kept.join('') + html.slice(from);
}

/** The position after the end tag. Without one, a script, a style or a comment extends to the end, as in a browser. */
function endAfter(html: string, close: string, from: number, missing: Set<string>): number {
  if (!missing.has(close)) {
    const mark = new RegExp(close === '-->' ? close : `${close}[^>]{0,100}>`, 'gi');
    mark.lastIndex = from;
    if (mark.exec(html)) return mark.lastIndex;
    missing.add(close);
  }
  if (/script|style|--/.test(close.replace('noscript', ''))) return html.length;
  const next = html.indexOf('>', from);
  return next < 0 ? html.length : next + 1;
}

/** The text of a page that is too deep for the parser, block by block. */
function* strippedLines(html: string): Generator<string> {
  const block =
    /<\/?(?:p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|title|blockquote|pre|td|th)\b[^<>]*>/gi;
  for (const piece of html.split(block)) {
    const text = piece.replace(/<[^<>]*>?/g, ' ').trim();
    if (text !== '') yield unescaped(text);
  }
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|nbsp|apos)|#(\d{1,6})|#x([0-9a-f]{1,5}));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', apos: "'" };
