import { Parser } from 'htmlparser2';

/**
 * Elements that models write into their answers; `Map<String>` and `<jane@example.com>` are text, and so is `a <b and c> d`: after a space stands
 * an attribute with a value, or one of the few without.
 */
const TAG =
  /<\/?(?:a|abbr|b|bdi|big|blockquote|br|caption|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figure|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|wbr|speak|break|emphasis|prosody|say-as|phoneme)(?:\s+(?:hidden|open|reversed|nowrap|noshade)(?=[\s/>]))*(?:\s+[a-z_:][\w:.-]*\s*=\s*[^\s<>=][^<>]*|\s*\/?)>/giu;
/** Deleted text. Not `<s>`, which is a sentence in SSML. */
const DELETED = /<(del|strike)(?:\s[^<>]*)?>.*?<\/\1\s*>/giu;
/** These separate words; the others stand within them. */
const SEPARATES =
  /^<\/?(?:br|p|div|li|ul|ol|dl|dt|dd|h\d|hr|table|t[rdh]|caption|blockquote|pre|section|summary|break)\b/i;
/** An address in angle brackets (CommonMark 6.5). */
const AUTOLINK = /<((?:https?|mailto|tel|sips?):[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>/giu;
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/giu;
const LINK = /!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/gu;
/** A mark after a backslash is text (CommonMark 2.4). */
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
/** Characters for private use stand for escaped marks while the others are read. */
const PRIVATE = 0xe000;
const PRIVATE_MARK = /[\ue021-\ue07e]/g;
/** Stands where words were left out; the space before it goes with them when a punctuation mark follows. */
const STRUCK = '\ue000';
const STRUCK_WORDS = /(?:\s*\ue000)+(?=[,.;:!?)])|\ue000/g;
const RUN = /\*+|_+|~~+|`+/gu;
const LINE_MARKS = /^\s*(?:#{1,6}\s+|>\s+|[-*+•]\s+(?:\[[ xX]\]\s+)?)+/u;
const RULE = /^\s*(?:[-*_]\s*){3,}$/u;
const TABLE_RULE = /^\s*\|?(?:\s*:?-{2,}:?\s*\|)+[\s:|-]*$/u;
const TABLE_ROW = /^\s*\||\|.*\|/u;

interface Range {
  start: number;
  end: number;
}

interface MarkRun extends Range {
  text: string;
  opens: boolean;
  closes: boolean;
}

/**
 * Removes the marks of Markdown and HTML that a synthesizer would read aloud. Marks of emphasis are removed in pairs around words, which may
 * begin in one part of the text and end in a later one; other signs, as in `dial **61*`, are text. Struck words are left out with their marks.
 */
export class SpokenMarkup {
  /** Marks whose words go on in the next part. */
  private open: string[] = [];

  /** The words of the next part; `isLineStart`: it begins a line, where marks of headings and lists stand. */
  words(part: string, isLineStart: boolean): string {
    if (isLineStart) this.open = [];
    const text = part.replace(ESCAPED, (_, mark: string) => String.fromCharCode(PRIVATE + mark.charCodeAt(0)));
    if (isLineStart && (RULE.test(text) || TABLE_RULE.test(text))) return '';
    const line = isLineStart ? text.replace(LINE_MARKS, '') : text;
    const cells =
      isLineStart && TABLE_ROW.test(line) ? line.replace(/^\s*\||\|\s*$/g, '').replace(/\s*\|\s*/g, ', ') : line;
    const plain = this.withoutEmphasis(
      cells.replace(LINK, '$1').replace(AUTOLINK, '$1').replace(DELETED, STRUCK).replace(TAG, spaceOf),
    );
    return decode(plain.replace(STRUCK_WORDS, ''))
      .replace(PRIVATE_MARK, (mark) => String.fromCharCode(mark.charCodeAt(0) - PRIVATE))
      .replace(/\s+/g, ' ')
      .trim();
  }

  private withoutEmphasis(text: string): string {
    const removed = new Set<MarkRun>();
    const struck: Range[] = [];
    const opened: (MarkRun | string)[] = [...this.open];
    for (const run of runsIn(text)) {
      const at = run.closes ? opened.findLastIndex((one) => matches(one, run, text)) : -1;
      const partner = opened[at];
      if (partner !== undefined) {
        opened.splice(at);
        removed.add(run);
        if (typeof partner !== 'string') removed.add(partner);
        if (isStrike(partner, run, text))
          struck.push({ start: typeof partner === 'string' ? 0 : partner.end, end: run.start });
      } else if (run.opens) opened.push(run);
    }
    // Without its end so far: words may follow in the next part.
    const goesOn = opened.flatMap((one) => {
      if (typeof one === 'string') return [one];
      if (!isUnfinished(one, text)) return [];
      removed.add(one);
      return [one.text];
    });
    this.open = goesOn;
    let plain = '';
    let at = 0;
    for (const range of [...removed, ...struck].toSorted((a, b) => a.start - b.start)) {
      plain += text.slice(at, range.start);
      if (struck.includes(range)) plain += STRUCK;
      at = Math.max(at, range.end);
    }
    return plain + text.slice(at);
  }
}

/** Runs of marks, as they may stand before and after words (CommonMark 6.2). */
function runsIn(text: string): MarkRun[] {
  return [...text.matchAll(RUN)].map(({ 0: mark, index: start }) => {
    const end = start + mark.length;
    const [before, after] = [text[start - 1] ?? ' ', text[end] ?? ' '];
    // Double marks stand within words as well, and in scripts without spaces; `2**3` is arithmetic.
    const isWithin = /^(?:\*\*|~~)/.test(mark) && !(/\d/.test(before) && /\d/.test(after));
    return {
      text: mark,
      start,
      end,
      opens: !/\s/.test(after) && (isWithin || !/[\p{L}\p{N}]/u.test(before)),
      closes: !/\s/.test(before) && (isWithin || !/[\p{L}\p{N}]/u.test(after)),
    };
  });
}

/** Whether the run ends what `opening` began. Digits between single marks are codes to dial (`*61*`), and not emphasis. */
function matches(opening: MarkRun | string, run: MarkRun, text: string): boolean {
  if (typeof opening === 'string') return opening === run.text;
  if (opening.text !== run.text || opening.end >= run.start) return false;
  const inside = text.slice(opening.end, run.start);
  const isCode = run.text.startsWith('`');
  return isCode || run.text.length > 1 ? /[\p{L}\p{N}]/u.test(inside) : /\p{L}/u.test(inside);
}

/** Whether the words between the marks are deleted ones. */
function isStrike(opening: MarkRun | string, run: MarkRun, text: string): boolean {
  return run.text === '~~' && (typeof opening === 'string' || !isDrawnOut(opening, text));
}

/** Tildes after a letter draw the word out, as in the chat style of East Asia. */
const isDrawnOut = ({ text: mark, start }: MarkRun, text: string): boolean =>
  mark.startsWith('~') && /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start));

/** A mark before a word may end in the next part; a backtick or a single sign hardly does. */
const isUnfinished = (run: MarkRun, text: string): boolean =>
  run.opens && run.text.length > 1 && !isDrawnOut(run, text) && /^\p{L}/u.test(text.slice(run.end));

const spaceOf = (tag: string): string => (SEPARATES.test(tag) ? ' ' : '');

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (reference) => {
    let character = '';
    const parser = new Parser({ ontext: (data) => (character += data) }, { decodeEntities: true });
    parser.end(reference);
    return character;
  });
}
