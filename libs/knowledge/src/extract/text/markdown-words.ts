import { Parser } from 'htmlparser2';
import MarkdownIt, { type Token } from 'markdown-it';
import { isHidingStyle, isStrikingStyle, shiftOfStyle } from '../html/html-styles.js';
import { INLINE, SILENT } from '../html/html-dom.js';
import { MarkdownTags } from './markdown-tags.js';
import { HTML_ELEMENTS, UNCLOSED_ELEMENTS } from '../html/markup-names.js';
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
  /** Read when the first tag is met. */
  private tags: MarkdownTags | undefined;
  /** The element whose content is left out, and the position of its end tag. */
  private skipped: { name: string; end: number } | undefined;
  /** The open elements of the block. */
  private open: { name: string; isShifted: boolean; href: string }[] = [];

  /** From here, the next tag or code of the block is searched in the document; `end` is the end of the block. */
  private place = { from: 0, end: 0 };

  /** `text`: the whole document. */
  constructor(private readonly text: string) {
    if (!text.includes(']:')) return;
    let count = 0;
    for (const [, label = '', href = ''] of text.matchAll(DEFINITION)) {
      if (++count > MAX_DEFINITIONS) break;
      this.references[parser.utils.normalizeReference(label)] ??= { title: '', href };
    }
  }

  /** `offset`, `length`: the place of `source` in the document, where it may have more markup. */
  read(source: string, { offset, length }: { offset: number; length: number }): string {
    this.place = { from: offset, end: offset + length };
    let words = '';
    if (MARKUP.test(source)) for (const piece of piecesOf(source)) words += this.readPiece(piece);
    else if (!this.skipped) words = source;
    this.closeBlock();
    return words;
  }

  private readPiece(source: string): string {
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
      const text = this.wordsOf(token, links);
      if (struck === 0 && (this.skipped === undefined || token.type === 'html_inline'))
        words += literal.has(index) ? '*' : text;
    });
    return words;
  }

  private wordsOf(token: Token, links: string[]): string {
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
        return (token.children ?? []).map((child) => this.wordsOf(child, [])).join('');
      case 'html_inline':
        return this.tagWords(token.content);
      case 'code_inline':
        this.passCode(token.content);
        return token.content;
      default:
        return token.content;
    }
  }

  /** Tags in code are text. */
  private passCode(code: string): void {
    const { from, end } = this.place;
    const at = this.text.slice(from, Math.min(end, from + MAX_PIECE + code.length)).indexOf(code);
    if (at >= 0) this.place.from = from + at + code.length;
  }

  /** What a tag is in the text: nothing, a line end, a mark, or its own characters if it is not HTML. */
  private tagWords(tag: string): string {
    const [, slash, name = ''] = /^<(\/?)([a-z][a-z\d-]*)/i.exec(tag) ?? [];
    if (name === '') return '';
    this.tags ??= new MarkdownTags(this.text);
    const start = this.tags.find(tag, this.place.from, this.place.end);
    if (start !== undefined) this.place.from = start + tag.length;
    const element = name.toLowerCase();
    if (!this.isElement(element, tag, start)) return this.skipped ? '' : tag;
    return slash === '' ? this.opened(element, tag, start) : this.closed(element, start);
  }

  /** `List<String>`, `Box<S>` and `Dial <extension>` are text, and so is `<code>` if nothing ends it. */
  private isElement(name: string, tag: string, start: number | undefined): boolean {
    if (!HTML_ELEMENTS.has(name) && !name.includes('-')) return false;
    const isEnd = tag.startsWith('</');
    const hasAttributes = !isEnd && tag.slice(name.length + 1).trim().length > 1;
    if (isEnd || hasAttributes) return true;
    // A type parameter: the end tag of another element of this name is not its own.
    if (name.length === 1 && start !== undefined && /[\p{L}\p{N}_]/u.test(this.text[start - 1] ?? ''))
      return this.endOf(start) !== undefined;
    return UNCLOSED_ELEMENTS.has(name) || this.tags!.hasEndAfter(name, this.place.from - 1);
  }

  private endOf(start: number | undefined): number | undefined {
    return start === undefined ? undefined : this.tags?.endOf(start);
  }

  private opened(name: string, tag: string, start: number | undefined): string {
    const upper = name.toUpperCase();
    if (this.skipped) return '';
    const attributes = attributesOf(tag);
    const style = attributes['style'] ?? '';
    if (name === 'br' || name === 'hr') return '\n';
    if (name === 'img') return attributes['alt'] ?? '';
    if (name === 'input') return boxOf(attributes);
    const isHidden = 'hidden' in attributes || attributes['aria-hidden'] === 'true' || isHidingStyle(style);
    const isLeftOut = isHidden || SILENT.has(upper) || STRUCK.has(name) || isStrikingStyle(style);
    const end = isLeftOut ? this.endOf(start) : undefined;
    if (end !== undefined) {
      this.skipped = { name, end };
      return INLINE.has(upper) ? '' : '\n';
    }
    const shift = name === 'sup' ? 'raised' : name === 'sub' ? 'lowered' : shiftOfStyle(style);
    this.open.push({ name, isShifted: shift !== undefined, href: attributes['href'] ?? '' });
    return (shift ? BASELINE_MARKS[shift] : '') + (INLINE.has(upper) ? '' : '\n');
  }

  private closed(name: string, start: number | undefined): string {
    if (this.skipped) {
      if (start === undefined || start < this.skipped.end) return '';
      this.skipped = undefined;
      return LEFT_OUT + (INLINE.has(name.toUpperCase()) ? '' : '\n');
    }
    const at = this.open.findLastIndex((each) => each.name === name);
    const [element] = at < 0 ? [] : this.open.splice(at);
    const end = element?.isShifted ? BASELINE_MARKS.end : '';
    return end + contactOf(element?.href ?? '') + (INLINE.has(name.toUpperCase()) ? '' : '\n');
  }

  /** An element inside a line ends with its block, struck text and a larger element with its end tag. */
  private closeBlock(): void {
    this.open = [];
    if (!this.skipped) return;
    const isInline = INLINE.has(this.skipped.name.toUpperCase());
    if ((isInline && !STRUCK.has(this.skipped.name)) || this.skipped.end < this.place.end) this.skipped = undefined;
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

/** Splits a long text, at the end of a line or a word if there is one. */
function* piecesOf(source: string): Generator<string> {
  for (let at = 0; at < source.length;) {
    const end = endOfPiece(source, at);
    yield source.slice(at, end);
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
