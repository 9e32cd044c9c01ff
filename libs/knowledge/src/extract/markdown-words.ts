import { Parser } from 'htmlparser2';
import MarkdownIt, { type Token } from 'markdown-it';
import { isHidingStyle, isStrikingStyle, shiftOfStyle } from './html-styles.js';
import { INLINE, SILENT } from './html-dom.js';
import { HTML_ELEMENTS, UNCLOSED_ELEMENTS } from './markup-names.js';
import { BASELINE_MARKS, contactOf, LEFT_OUT } from './text-marks.js';

/** A text without these characters has no markup. */
const MARKUP = /[[*_~`<\\&]/;
/** The parser takes quadratic time for some texts of brackets: it receives a few of them, and some pages of text, at a time. */
const MAX_PIECE = 4_096;
const MAX_BRACKETS = 60;
const MAX_DEFINITIONS = 10_000;

const parser = new MarkdownIt({ html: true, maxNesting: 100 });
// Its rules keep dangerous links from a browser. Here the address of a link is not text, whatever its scheme is.
parser.validateLink = () => true;
/** For texts without a `]`, in which the search for the end of a link is in vain at each `[`. */
const parserWithoutLinks = new MarkdownIt({ html: true, maxNesting: 100 });
parserWithoutLinks.inline.ruler.disable(['link', 'image']);

/** `[label]: address`, with an optional title. */
const DEFINITION = /^ {0,3}\[(?!\^)([^[\]\n]{1,200})\]:[ \t]*<?([^\s<>]{1,2000})>?/gm;

/**
 * The words of inline Markdown (CommonMark 6): code and escaped signs as they stand, addresses in angle brackets, character
 * references as characters, without the signs of emphasis, the addresses of links, struck text and HTML. The blocks of a text are
 * read in order: an HTML element may end in a later one.
 */
export class MarkdownWords {
  private readonly references: Record<string, { title: string; href: string }> = {};
  private readonly lastEnds = new Map<string, number>();
  private readonly lowerCase: string;
  /** The element whose content is left out, and how many of its name are open. */
  private skipped: { name: string; open: number } | undefined;
  /** The open elements of the block. */
  private open: { name: string; isShifted: boolean; href: string }[] = [];

  /** `text`: the whole document. */
  constructor(text: string) {
    this.lowerCase = /<\//.test(text) ? text.toLowerCase() : '';
    if (!text.includes(']:')) return;
    let count = 0;
    for (const [, label = '', href = ''] of text.matchAll(DEFINITION)) {
      if (++count > MAX_DEFINITIONS) break;
      this.references[parser.utils.normalizeReference(label)] ??= { title: '', href };
    }
  }

  /** `offset`: the position of `source` in the document. */
  read(source: string, offset: number): string {
    if (!MARKUP.test(source)) return this.skipped ? '' : source;
    let words = '';
    for (const { text, at } of piecesOf(source)) words += this.readPiece(text, offset + at);
    this.closeBlock(offset + source.length);
    return words;
  }

  private readPiece(source: string, offset: number): string {
    const tokens: Token[] = [];
    const suited = source.includes(']') ? parser : parserWithoutLinks;
    suited.inline.parse(source, suited, { references: this.references }, tokens);
    const literal = literalStars(tokens);
    const links: string[] = [];
    let words = '';
    let struck = 0;
    tokens.forEach((token, index) => {
      if (token.type === 's_open') struck++;
      if (token.type === 's_close' && --struck === 0) words += LEFT_OUT;
      const text = this.wordsOf(token, links, offset);
      if (struck === 0 && (this.skipped === undefined || token.type === 'html_inline'))
        words += literal.has(index) ? '*' : text;
    });
    return words;
  }

  private wordsOf(token: Token, links: string[], offset: number): string {
    switch (token.type) {
      case 'softbreak':
      case 'hardbreak':
        return '\n';
      case 'link_open':
        links.push(String(token.attrGet('href') ?? ''));
        return '';
      case 'link_close':
        return contactOf(links.pop() ?? '');
      case 'image':
        return (token.children ?? []).map((child) => this.wordsOf(child, [], offset)).join('');
      case 'html_inline':
        return this.tagWords(token.content, offset);
      default:
        return token.content;
    }
  }

  /** What a tag is in the text: nothing, a line end, a mark, or its own characters if it is not HTML. */
  private tagWords(tag: string, offset: number): string {
    const [, slash, name = ''] = /^<(\/?)([a-z][a-z\d-]*)/i.exec(tag) ?? [];
    if (name === '') return '';
    const element = name.toLowerCase();
    if (!this.isElement(element, tag, offset)) return this.skipped ? '' : tag;
    return slash === '' ? this.opened(element, tag, offset) : this.closed(element);
  }

  /** `List<String>` and `Dial <extension>` are text, and so is `<code>` if nothing ends it. */
  private isElement(name: string, tag: string, offset: number): boolean {
    const isEnd = tag.startsWith('</');
    const hasAttributes = !isEnd && tag.slice(name.length + 1).trim().length > 1;
    if (HTML_ELEMENTS.has(name))
      return isEnd || hasAttributes || UNCLOSED_ELEMENTS.has(name) || this.endsAfter(name, offset);
    // A custom element.
    return name.includes('-') && (isEnd || hasAttributes || this.endsAfter(name, offset));
  }

  private endsAfter(name: string, offset: number): boolean {
    let last = this.lastEnds.get(name);
    if (last === undefined) {
      last = this.lowerCase.lastIndexOf(`</${name}`);
      this.lastEnds.set(name, last);
    }
    return last >= offset;
  }

  private opened(name: string, tag: string, offset: number): string {
    const upper = name.toUpperCase();
    if (this.skipped) {
      if (this.skipped.name === name && !/\/\s*>$/.test(tag)) this.skipped.open++;
      return '';
    }
    const attributes = attributesOf(tag);
    const style = attributes['style'] ?? '';
    if (name === 'br' || name === 'hr') return '\n';
    if (name === 'img') return attributes['alt'] ?? '';
    if (name === 'input') return boxOf(attributes);
    const isHidden = 'hidden' in attributes || attributes['aria-hidden'] === 'true' || isHidingStyle(style);
    const isLeftOut = isHidden || SILENT.has(upper) || STRUCK.has(name) || isStrikingStyle(style);
    if (isLeftOut && this.endsAfter(name, offset)) {
      this.skipped = { name, open: 1 };
      return INLINE.has(upper) ? '' : '\n';
    }
    const shift = name === 'sup' ? 'raised' : name === 'sub' ? 'lowered' : shiftOfStyle(style);
    this.open.push({ name, isShifted: shift !== undefined, href: attributes['href'] ?? '' });
    return (shift ? BASELINE_MARKS[shift] : '') + (INLINE.has(upper) ? '' : '\n');
  }

  private closed(name: string): string {
    if (this.skipped) {
      if (this.skipped.name !== name || --this.skipped.open > 0) return '';
      this.skipped = undefined;
      return LEFT_OUT + (INLINE.has(name.toUpperCase()) ? '' : '\n');
    }
    const at = this.open.findLastIndex((each) => each.name === name);
    const [element] = at < 0 ? [] : this.open.splice(at);
    const end = element?.isShifted ? BASELINE_MARKS.end : '';
    return end + contactOf(element?.href ?? '') + (INLINE.has(name.toUpperCase()) ? '' : '\n');
  }

  /** An element inside a line ends with its block; a larger one with its end tag, if there is one. */
  private closeBlock(end: number): void {
    this.open = [];
    if (!this.skipped) return;
    const isInline = INLINE.has(this.skipped.name.toUpperCase());
    if (isInline && !STRUCK.has(this.skipped.name)) this.skipped = undefined;
    else if (!this.endsAfter(this.skipped.name, end)) this.skipped = undefined;
  }
}

const STRUCK = new Set(['del', 's', 'strike']);

function attributesOf(tag: string): Record<string, string> {
  let attributes: Record<string, string> = {};
  if (/\s/.test(tag)) {
    const reader = new Parser({ onopentag: (_, found) => void (attributes = found) });
    reader.end(tag);
  }
  return attributes;
}

/** The state of a box, as Markdown writes it. */
const boxOf = (attributes: Record<string, string>): string =>
  /^(?:checkbox|radio)$/i.test(attributes['type'] ?? '') ? ('checked' in attributes ? '[x] ' : '[ ] ') : '';

interface SourcePiece {
  text: string;
  at: number;
}

/** Splits a long text, at the end of a line or a word if there is one. */
function* piecesOf(source: string): Generator<SourcePiece> {
  for (let at = 0; at < source.length;) {
    const end = endOfPiece(source, at);
    yield { text: source.slice(at, end), at };
    at = end;
  }
}

function endOfPiece(source: string, from: number): number {
  let brackets = 0;
  const limit = Math.min(source.length, from + MAX_PIECE);
  let end = from;
  for (; end < limit && brackets < MAX_BRACKETS; end++) if ('[<'.includes(source[end]!)) brackets++;
  if (end === source.length) return end;
  const half = from + ((end - from) >> 1);
  const tail = source.slice(half, end);
  const [found = end] = ['\n', '. ', ' '].flatMap((separator) => {
    const at = tail.lastIndexOf(separator);
    return at < 0 ? [] : [half + at + separator.length];
  });
  return found;
}

/**
 * The tokens of single stars that are signs: CommonMark 6.2 takes `2*3*4` and `*21*0123#` for emphasis, but they are a product and a code to
 * dial.
 */
function literalStars(tokens: Token[]): ReadonlySet<number> {
  const literal = new Set<number>();
  const open: number[] = [];
  tokens.forEach((token, index) => {
    if (token.type === 'em_open') open.push(index);
    if (token.type !== 'em_close') return;
    const start = open.pop() ?? index;
    if (token.markup !== '*') return;
    const before = tokens[start - 1]?.content.at(-1) ?? '';
    const after = tokens[index + 1]?.content[0] ?? '';
    if (/[\p{L}\p{N}*]/u.test(before) || /[\p{L}\p{N}*#]/u.test(after)) literal.add(start).add(index);
  });
  return literal;
}
