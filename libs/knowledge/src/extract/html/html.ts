import { readFile } from 'node:fs/promises';
import { Readability } from '@mozilla/readability';
// The bundled build of the same package: loading its 100 modules took 150 ms in each parser process.
import { parseHTML } from 'linkedom/worker';
import type { Block, BlockConsumer } from '../../blocks.js';
import { BlockWriter, cleanLine } from '../block-writer.js';
import { DocumentProblem } from '../document-problem.js';
import type { DocumentFacts, ExtractHints } from '../document-formats.js';
import { HtmlBody } from './html-body.js';
import { type HtmlElement, type HtmlNode, sizeOf, textOf } from './html-dom.js';
import { edgesOf } from './html-edges.js';
import { formSigns, pageProblem } from './html-failures.js';
import { removeHidden } from './html-hidden.js';
import { numberItems } from './html-lists.js';
import { foldSections, openSections, type Sections, type Unfolded } from './html-sections.js';
import { writeMeaning } from './html-meaning.js';
import { addStructuredAnswers } from './html-structured-answers.js';
import { decodeHtml, depthOf, stripLines, titleOf, withoutNoise } from './html-source.js';

/** A shorter article is a teaser or a cookie notice; the whole text of the page is used instead. */
const ARTICLE_CHARACTERS = 1_000;
const ARTICLE_SHARE = 0.25;
/** Real articles have at least 70 % of the page's prose, the teaser on a page of several parts less. */
const PART_SHARE = 0.4;
const SEVERAL_HEADINGS = 4;
/** An article without most of the page's sections is a teaser, too. */
const SECTION_SHARE = 0.5;
/** Nothing is removed from a shorter page. */
const SHORT_PAGE = 200;
/** Real pages are about 30 levels deep; the running time of the parser grows with the depth. */
const DEEPEST = 400;
/** Readability visits all siblings of each node several times: 60,000 siblings took 19 s. */
const MAX_NODES = 100_000;
const MAX_SIBLINGS = 5_000;

export async function extractHtml(path: string, take: BlockConsumer, hints: ExtractHints = {}): Promise<DocumentFacts> {
  const { text: html, charset } = decodeHtml(await readFile(path), hints.charset);
  const { blocks, title } = readPage(html);
  for (const block of blocks) take(block);
  return title === '' ? { charset } : { charset, title };
}

/** The blocks of a whole page without its menus, such as a part of another document. */
export function htmlBlocks(bytes: Uint8Array): Block[] {
  const { text: html } = decodeHtml(bytes, undefined);
  const source = withoutNoise(html);
  if (depthOf(source) > DEEPEST) return stripBlocks(source);
  const document = documentOf(source);
  writeMeaning(document);
  openSections(document);
  removeHidden(document);
  numberItems(document);
  return blocksOf(document).blocks;
}

interface Page {
  blocks: Block[];
  title: string;
}

/** Throws if the page is an error page, a login or an empty application. */
function readPage(html: string): Page {
  const source = withoutNoise(html);
  const title = titleOf(source);
  if (depthOf(source) > DEEPEST) return { blocks: stripBlocks(source), title };
  const document = documentOf(source);
  writeMeaning(document);
  addStructuredAnswers(html, document, boxOf);
  const forms = formSigns(document);
  const sections = openSections(document);
  removeHidden(document);
  numberItems(document);
  const whole = blocksOf(document);
  const { edges, prose } = edgesOf(document);
  const problem = pageProblem({ html, title, ...whole, prose, ...forms });
  if (problem) throw problem;
  if (whole.characters < SHORT_PAGE) return { blocks: whole.blocks, title };
  const core = blocksOf(document, undefined, edges);
  const article = articleOf(document, sections);
  const isArticle = isEnough(article, whole) && !isPartOf(article, core, prose);
  const { blocks } = isArticle ? article : core.characters >= SHORT_PAGE ? core : whole;
  return { blocks, title };
}

const isEnough = (part: ReadBlocks, whole: ReadBlocks): boolean =>
  part.characters >= Math.min(ARTICLE_CHARACTERS, whole.characters * ARTICLE_SHARE);

/** A page of several parts, of which Readability takes only one: the questions or the text before them. Comments have no headings. */
function isPartOf(article: ReadArticle, core: ReadBlocks, prose: number): boolean {
  const [some, all] = [article, core].map(({ blocks }) => blocks.filter(({ kind }) => kind === 'heading').length);
  if (article.characters < PART_SHARE * prose && all! >= SEVERAL_HEADINGS && some! < all! / 2) return true;
  if (article.characters < Math.min(SHORT_PAGE, core.characters / 2)) return true;
  const { kept, all: inSections } = article.sections;
  return (
    kept < SECTION_SHARE * inSections || (kept > 0 && article.characters - kept < PART_SHARE * (prose - inSections))
  );
}

/** The document type of linkedom, whose types require the DOM library of a browser. */
type HtmlDocument = ConstructorParameters<typeof Readability>[0];

/** Wraps a fragment in html and body, which linkedom does not do. */
function documentOf(source: string): HtmlDocument {
  const isWhole = /<(?:html|body)\b/i.test(source);
  return parseHTML(isWhole ? source : `<!doctype html><html><body>${source}</body></html>`).document;
}

/** An HTML text as a box; null if it is too deep for the parser. */
function boxOf(text: string): HtmlElement | null {
  const source = withoutNoise(text);
  if (depthOf(source) > DEEPEST) return null;
  const box: HtmlElement | null = documentOf(`<div>${source}</div>`).querySelector('div');
  if (box) writeMeaning(box);
  return box;
}

interface ReadBlocks {
  blocks: Block[];
  characters: number;
}

interface ReadArticle extends ReadBlocks {
  sections: Unfolded;
}

function blocksOf(node: object, title?: string, edges?: ReadonlySet<HtmlNode>): ReadBlocks {
  const blocks: Block[] = [];
  const writer = new BlockWriter((block) => void blocks.push(block));
  new HtmlBody(writer, title, edges).write(node as HtmlNode);
  return { blocks, characters: writer.characters };
}

/**
 * Modifies the document. Readability turns an article's first-level headings into second-level ones; its title is the
 * first level.
 */
function articleOf(document: HtmlDocument, sections: Sections): ReadArticle {
  const nothing = { blocks: [], characters: 0, sections: { kept: 0, all: 0 } };
  const size = sizeOf(document);
  if (size.nodes > MAX_NODES || size.siblings > MAX_SIBLINGS) return nothing;
  const heading = onlyHeading(document);
  const unfold = foldSections(sections, document);
  const article = new Readability<object>(document, { serializer: (content) => content }).parse();
  if (!article?.content) return nothing;
  const unfolded = unfold(article.content as HtmlNode);
  return { ...blocksOf(article.content, heading ?? cleanLine(article.title ?? '')), sections: unfolded };
}

/** The only first-level heading of a page is a better title than `<title>`, which contains the name of the site. */
function onlyHeading(document: HtmlDocument): string | undefined {
  const [first, ...others] = document.querySelectorAll('h1');
  return first && others.length === 0 ? cleanLine(textOf(first)) || undefined : undefined;
}

function stripBlocks(source: string): Block[] {
  const blocks: Block[] = [];
  const writer = new BlockWriter((block) => void blocks.push(block));
  for (const line of stripLines(source.replace(/<title\b[^<]{0,1000}<\/title/i, ''))) writer.paragraph(cleanLine(line));
  if (blocks.length === 0) throw new DocumentProblem('EMPTY', 'The page contains no text.');
  return blocks;
}
