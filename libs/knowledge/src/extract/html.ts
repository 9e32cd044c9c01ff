import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { readFile } from 'node:fs/promises';
import type { Block, TakeBlock } from '../blocks.js';
import { BlockWriter } from './block-writer.js';
import { cleanLine } from './clean-text.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts, ExtractHints } from './extract.js';
import { HtmlBody, sizeOf, type HtmlNode } from './html-body.js';
import { decodeHtml, depthOf, strippedLines, withoutBallast } from './html-source.js';

/** Below these an article is a teaser or a cookie notice; then the whole text of the page is taken. */
const ARTICLE_CHARACTERS = 200;
const ARTICLE_SHARE = 0.25;
/** Real pages have some 30; every step of a reader goes up or down that far. */
const DEEPEST = 400;
/** Readability weighs each node several times, and looks at all its siblings each time: 60,000 of them took 19 s. */
const MOST_NODES = 100_000;
const MOST_SIBLINGS = 5_000;

export async function extractHtml(path: string, take: TakeBlock, hints: ExtractHints = {}): Promise<DocumentFacts> {
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
  const source = withoutBallast(html);
  if (depthOf(source) > DEEPEST) return strippedPage(source);
  const document = documentOf(source);
  const whole = blocksOf(document);
  const article = articleOf(document);
  const enough = article.characters >= Math.max(ARTICLE_CHARACTERS, whole.characters * ARTICLE_SHARE);
  return { blocks: (enough ? article : whole).blocks, title: titleOf(source) };
}

/** What linkedom makes of a page; its types are those of a browser, which this is not. */
type HtmlDocument = ConstructorParameters<typeof Readability>[0];

/** A fragment without html and body is put into them, which linkedom does not do by itself. */
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

/** Takes the document apart. Readability makes an article's first-level headings second-level ones: its title is the first. */
function articleOf(document: HtmlDocument): ReadBlocks {
  const nothing = { blocks: [], characters: 0 };
  const size = sizeOf(document);
  if (size.nodes > MOST_NODES || size.siblings > MOST_SIBLINGS) return nothing;
  const heading = onlyHeading(document);
  const article = new Readability<object>(document, { serializer: (content) => content }).parse();
  return article?.content ? blocksOf(article.content, heading ?? cleanLine(article.title ?? '')) : nothing;
}

/** A page with one first-level heading says by it what it is about, without the name of the site. */
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

/** "Loading…" and a dozen scripts: the text is made in the browser. */
function isShell(html: string, blocks: Block[]): boolean {
  const characters = blocks.reduce((sum, block) => sum + ('text' in block ? block.text.length : 100), 0);
  return characters < ARTICLE_CHARACTERS && scriptsIn(html) >= 3;
}

function emptyPage(html: string): DocumentProblem {
  return scriptsIn(html) > 0
    ? new DocumentProblem('PAGE_NEEDS_JAVASCRIPT')
    : new DocumentProblem('EMPTY', 'The page contains no text.');
}
