import {
  attributeOf,
  type Attributes,
  endsWith,
  escapeXml,
  readMeaning,
  type RunMeaning,
  valueOf,
  visitXml,
  type WordElement,
  wordElements,
  type WordStyles,
  type XmlVisitor,
} from './docx-numbering.js';
import { BASELINE_MARKS, contactOf, LEFT_OUT } from '../text/text-marks.js';

/** The elements with text that mammoth reads, and those that hold them. It ignores all others together with their content. */
const KNOWN = new Set(
  (
    'w:document w:body w:footnotes w:footnote w:endnotes w:endnote w:p w:r w:t w:tab w:noBreakHyphen w:softHyphen w:sym w:hyperlink w:tbl ' +
    'w:tr w:tc w:footnoteReference w:endnoteReference w:br w:sdt w:sdtContent w:customXml w:ins w:moveFromRangeEnd w:moveFromRangeStart ' +
    'w:moveTo w:moveToRangeEnd w:moveToRangeStart w:object w:smartTag w:pict v:roundrect v:shape v:textbox w:txbxContent v:group v:rect ' +
    'w:fldChar mc:AlternateContent mc:Choice mc:Fallback'
  ).split(' '),
);
/** Properties, deleted text and codes of fields: nothing in them is text. */
const WITHOUT_TEXT = new Set(
  'w:del w:moveFrom w:fldChar w:instrText w:delText w:delInstrText w:fldData w:tblGrid v:shapetype w:commentReference'.split(
    ' ',
  ),
);
/** The parts of a run that are seen. The others are marks of fields, which must stay in pairs. */
const SEEN = new Set(
  (
    'w:t w:tab w:br w:cr w:sym w:ptab w:noBreakHyphen w:drawing w:pict w:object mc:AlternateContent w:ruby w:footnoteReference ' +
    'w:endnoteReference'
  ).split(' '),
);

/** Bookmarks of Word have no colon in their names. */
const CHUNK_MARK = 'chunk:';

/** The relationship of an imported document, whose place the bookmark marks. */
export const chunkOfBookmark = (name: string | undefined): string | undefined =>
  name?.startsWith(CHUNK_MARK) ? name.slice(CHUNK_MARK.length) : undefined;

/**
 * Rewrites a part of a Word document so that mammoth finds all of its text: elements that mammoth does not know are replaced by their
 * content (ECMA-376 part 1, 17.5 to 17.16, 22.1), hidden and struck runs lose theirs, raised and lowered ones get marks.
 */
export function withMeaning(xml: string, styles: WordStyles): string {
  const writer = new MeaningWriter(xml, styles);
  visitXml(xml, writer);
  return writer.result();
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

interface Frame {
  name: string;
  start: number;
  /** After the opening tag. */
  end: number;
  isProperty: boolean;
  /** It belongs to a hidden or struck run. */
  isLeftOut: boolean;
  hasText: boolean;
  /** Of a `mc:AlternateContent`: its choices. */
  choices: Choice[];
  /** Of a `w:ruby`: the reading. */
  reading: string;
  href: string;
}

interface Choice extends Edit {
  /** The tags of the choice. */
  tags: [Edit, Edit];
  isFallback: boolean;
  hasText: boolean;
}

interface Run {
  own: RunMeaning;
  style?: string;
  meaning?: RunMeaning;
}

class MeaningWriter implements XmlVisitor {
  private readonly frames: Frame[] = [];
  private readonly edits: Edit[] = [];
  private readonly runs: Run[] = [];
  private readonly paragraphs: { style?: string }[] = [];
  private readonly element: WordElement;

  constructor(
    private readonly xml: string,
    private readonly styles: WordStyles,
  ) {
    this.element = wordElements(xml);
  }

  /** Edits inside a part that is replaced as a whole are void. */
  result(): string {
    if (this.edits.length === 0) return this.xml;
    // An insertion at the start of a replaced part comes first, and of two replaced parts with the same start the larger one.
    this.edits.sort((a, b) => a.start - b.start || Number(a.start < a.end) - Number(b.start < b.end) || b.end - a.end);
    const pieces: string[] = [];
    let copied = 0;
    for (const { start, end, text } of this.edits) {
      if (start < copied) continue;
      pieces.push(this.xml.slice(copied, start), text);
      copied = end;
    }
    return pieces.join('') + this.xml.slice(copied);
  }

  open(name: string, attributes: Attributes, path: readonly string[], end: number, start: number): void {
    const parent = this.frames.at(-1);
    const isProperty = (parent?.isProperty ?? false) || WITHOUT_TEXT.has(name) || name.endsWith('Pr');
    const run = this.runs.at(-1);
    const isLeftOut =
      !isProperty && parent?.name === 'w:r' && SEEN.has(name) && run !== undefined && this.isLeftOut(run);
    const [hasText, href] = [false, hrefOfField(name, attributes)];
    this.frames.push({ name, start, end, isProperty, isLeftOut, hasText, choices: [], reading: '', href });
    if (isProperty) return this.readProperty(name, attributes, path);
    if (name === 'w:p') this.paragraphs.push({});
    if (name === 'w:r') this.runs.push({ own: {} });
    if (name === 'w:altChunk') {
      const bookmark = this.element('bookmarkStart', '', { name: CHUNK_MARK + (attributeOf(attributes, 'id') ?? '') });
      this.replace(start, end, this.element('p', bookmark));
    }
  }

  private readProperty(name: string, attributes: Attributes, path: readonly string[]): void {
    const run = this.runs.at(-1);
    if (run && endsWith(path, 'w:r', 'w:rPr')) {
      if (name === 'w:rStyle') run.style = valueOf(attributes);
      else readMeaning(run.own, name, attributes);
    }
    const paragraph = this.paragraphs.at(-1);
    if (paragraph && name === 'w:pStyle' && endsWith(path, 'w:p', 'w:pPr')) paragraph.style = valueOf(attributes);
  }

  private meaningOf(run: Run): RunMeaning {
    run.meaning ??= this.styles.meaningOf(run.own, run.style, this.paragraphs.at(-1)?.style);
    return run.meaning;
  }

  private isLeftOut(run: Run): boolean {
    const { isHidden = false, isStruck = false } = this.meaningOf(run);
    return isHidden || isStruck;
  }

  text(text: string): void {
    const frame = this.frames.at(-1);
    if (!frame || (frame.name !== 'w:t' && frame.name !== 'm:t' && frame.name !== 'a:t')) return;
    frame.hasText ||= text !== '' && !frame.isProperty;
    const ruby =
      this.frames.some(({ name }) => name === 'w:rt') && this.frames.findLast(({ name }) => name === 'w:ruby');
    if (ruby) ruby.reading += text;
  }

  close(_name: string, _path: readonly string[], end: number, start: number): void {
    const frame = this.frames.pop();
    const parent = this.frames.at(-1);
    if (!frame || frame.isProperty) return;
    // The tag of an element without content is its opening tag, too.
    const closing = end === frame.end ? end : start;
    this.endElement(frame, closing, end);
    if (frame.name === 'w:r') this.runs.pop();
    if (frame.name === 'w:p') this.paragraphs.pop();
    if (parent && (frame.name === 'mc:Choice' || frame.name === 'mc:Fallback'))
      parent.choices.push(choiceOf(frame, closing, end));
    else if (parent && !frame.isLeftOut) parent.hasText ||= frame.hasText;
  }

  private endElement(frame: Frame, closing: number, end: number): void {
    const { name } = frame;
    if (frame.isLeftOut) return this.replace(frame.start, end, this.element('t', LEFT_OUT));
    if (name === 'w:t') return this.shift(frame, closing);
    if (name === 'w:cr') return this.replace(frame.start, end, this.element('br'));
    if (name === 'w:ptab') return this.replace(frame.start, end, this.element('tab'));
    if (name === 'm:t' || name === 'a:t') return this.rename(frame, closing, end, 't', 'r');
    if (name === 'mc:AlternateContent') return this.choose(frame, closing, end);
    if (!frame.hasText) return;
    if (name === 'w:rt') return this.replace(frame.start, end, '');
    if (name === 'a:p') return this.rename(frame, closing, end, 'p');
    // mammoth reads the text of a VML shape; a drawing becomes one.
    if (name === 'w:drawing') return this.rename(frame, closing, end, 'pict');
    if (KNOWN.has(name)) return;
    this.replace(frame.start, frame.end, SHIFTS[name] === undefined ? '' : this.runOf(SHIFTS[name]));
    this.replace(closing, end, this.textAfter(frame));
  }

  /** What follows the content of an element that mammoth does not know. */
  private textAfter({ name, href, reading }: Frame): string {
    if (name === 'm:sup' || name === 'm:sub') return this.runOf(BASELINE_MARKS.end);
    if (name === 'w:ruby' && reading !== '') return this.runOf(`(${reading})`);
    const contact = contactOf(href);
    return contact === '' ? '' : this.runOf(contact);
  }

  private runOf(text: string): string {
    return this.element('r', this.element('t', escapeXml(text)));
  }

  private shift(frame: Frame, closing: number): void {
    const run = this.runs.at(-1);
    if (!run || !frame.hasText) return;
    const { shift } = this.meaningOf(run);
    if (shift !== 'superscript' && shift !== 'subscript') return;
    this.replace(frame.end, frame.end, shift === 'superscript' ? BASELINE_MARKS.raised : BASELINE_MARKS.lowered);
    this.replace(closing, closing, BASELINE_MARKS.end);
  }

  /** Replaces the tags of an element, `outer` around `local`. */
  private rename(frame: Frame, closing: number, end: number, local: string, outer?: string): void {
    const inner = this.element(local, SEPARATOR);
    const [before = '', after = ''] = (outer === undefined ? inner : this.element(outer, inner)).split(SEPARATOR);
    if (closing === end && frame.end === end) return;
    this.replace(frame.start, frame.end, before);
    this.replace(closing, end, after);
  }

  /** mammoth reads the fallback. Without text in it, the first choice with text takes its place. */
  private choose(frame: Frame, closing: number, end: number): void {
    const chosen = frame.choices.find(({ isFallback, hasText }) => isFallback && hasText);
    const choice = chosen ? undefined : frame.choices.find(({ hasText }) => hasText);
    frame.hasText = (chosen ?? choice) !== undefined;
    if (!choice) return;
    this.replace(frame.start, frame.end, '');
    for (const each of frame.choices) {
      if (each === choice) this.edits.push(...each.tags);
      else this.replace(each.start, each.end, '');
    }
    this.replace(closing, end, '');
  }

  private replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text });
  }
}

/** Marks the place of the content in a written element. */
const SEPARATOR = '\ufdd5';

/** Formulas: what is written before the content of an element. */
const SHIFTS: Record<string, string> = {
  'm:sup': BASELINE_MARKS.raised,
  'm:sub': BASELINE_MARKS.lowered,
  'm:den': '/',
};

function choiceOf({ name, start, end: opened, hasText }: Frame, closing: number, end: number): Choice {
  const tags: [Edit, Edit] = [
    { start, end: opened, text: '' },
    { start: closing, end, text: '' },
  ];
  return { start, end, text: '', tags, isFallback: name === 'mc:Fallback', hasText };
}

/** ECMA-376 part 1, 17.16.19: the result of a simple field is its content. */
function hrefOfField(name: string, attributes: Attributes): string {
  if (name !== 'w:fldSimple') return '';
  return /^\s*HYPERLINK\s+"([^"]{1,2000})"/.exec(attributeOf(attributes, 'instr') ?? '')?.[1] ?? '';
}
