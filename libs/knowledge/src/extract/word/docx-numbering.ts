import { Parser } from 'htmlparser2';
import { type ListLevel, ListLabels, type WordList } from './list-labels.js';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const STRICT_WORD = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
/** The usual prefixes by namespace; ISO 29500 has a transitional and a strict variant. */
const PREFIXES: Record<string, string> = {
  [WORD]: 'w',
  [STRICT_WORD]: 'w',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r',
  'http://purl.oclc.org/ooxml/officeDocument/relationships': 'r',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
  'http://purl.oclc.org/ooxml/drawingml/main': 'a',
  'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing': 'wp',
  'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing': 'wp',
  'urn:schemas-microsoft-com:vml': 'v',
};
/** Word allows 31 characters; longer texts would multiply with the number of paragraphs. */
const MAX_LABEL_LENGTH = 200;
const MAX_STYLE_CHAIN_LENGTH = 50;

export type Attributes = Record<string, string>;

export interface XmlVisitor {
  /** `path`: the names of the ancestors; `end`: the position after the tag; `start`: that of the tag. */
  open(name: string, attributes: Attributes, path: readonly string[], end: number, start: number): void;
  close?(name: string, path: readonly string[], end: number, start: number): void;
  text?(text: string): void;
}

/** Visits the elements of a part. Tolerates damage: mammoth reads the same part and reports it. */
export function visitXml(xml: string, visitor: XmlVisitor): void {
  const prefixes = new Map<string, string>();
  const path: string[] = [];
  const nameOf = (name: string): string => {
    const [first = '', local] = name.split(':', 2);
    const [prefix, base] = local === undefined ? ['', first] : [first, local];
    return `${prefixes.get(prefix) ?? prefix}:${base}`;
  };
  const parser: Parser = new Parser(
    {
      onopentag(name, given) {
        for (const [attribute, value] of Object.entries(given)) {
          const known = attribute.startsWith('xmlns') ? PREFIXES[value] : undefined;
          if (known !== undefined) prefixes.set(attribute.slice('xmlns:'.length), known);
        }
        const named = nameOf(name);
        visitor.open(named, given, path, parser.endIndex + 1, parser.startIndex);
        path.push(named);
      },
      onclosetag() {
        const name = path.pop() ?? '';
        visitor.close?.(name, path, parser.endIndex + 1, parser.startIndex);
      },
      ontext(text) {
        visitor.text?.(text);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

/** The value of an attribute with any prefix. */
export function attributeOf(attributes: Attributes, local: string): string | undefined {
  return Object.entries(attributes).find(([name]) => name.slice(name.indexOf(':') + 1) === local)?.[1];
}

export const valueOf = (attributes: Attributes): string | undefined => attributeOf(attributes, 'val');

function integerOf(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? '', 10);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `w:b`, `w:isLgl` and the like: on unless the value says otherwise. */
const isOn = (attributes: Attributes): boolean => !/^(?:0|false|off)$/.test(valueOf(attributes) ?? '');

export const endsWith = (path: readonly string[], ...names: string[]): boolean =>
  names.every((name, index) => path[path.length - names.length + index] === name);

interface NumberingReference {
  numId?: string;
  level?: number;
}

/** What the properties of a run say about its text. */
export interface RunMeaning {
  isHidden?: boolean;
  isStruck?: boolean;
  /** `superscript`, `subscript` or `baseline`. */
  shift?: string;
}

/** Reads an element of `w:rPr`. */
export function readMeaning(meaning: RunMeaning, name: string, attributes: Attributes): void {
  if (name === 'w:vanish') meaning.isHidden = isOn(attributes);
  if (name === 'w:strike' || name === 'w:dstrike') meaning.isStruck = isOn(attributes) || (meaning.isStruck ?? false);
  if (name === 'w:vertAlign') meaning.shift = valueOf(attributes);
}

interface Style extends NumberingReference {
  basedOn?: string;
  meaning: RunMeaning;
}

/** The numbering properties of the styles in `styles.xml`. */
export class WordStyles {
  /** The style of paragraphs without a style. */
  normal: string | undefined;
  private readonly styles = new Map<string, Style>();

  constructor(xml = '') {
    let style: Style = { meaning: {} };
    visitXml(xml, {
      open: (name, attributes, path) => {
        if (name === 'w:style') style = this.styleOf(attributes);
        else if (name === 'w:basedOn' && endsWith(path, 'w:style')) style.basedOn = valueOf(attributes);
        else if (endsWith(path, 'w:style', 'w:rPr')) readMeaning(style.meaning, name, attributes);
        else if (endsWith(path, 'w:style', 'w:pPr', 'w:numPr')) readReference(style, name, attributes);
      },
    });
  }

  /** The style and those that it is based on. */
  chain(id: string | undefined): [id: string, style: Style][] {
    const chain: [string, Style][] = [];
    for (let next = id; next !== undefined && chain.length < MAX_STYLE_CHAIN_LENGTH;) {
      const style = this.styles.get(next);
      if (!style) break;
      chain.push([next, style]);
      next = style.basedOn;
    }
    return chain;
  }

  /** The properties of a run: its own, then those of its style and of its paragraph's. */
  meaningOf(own: RunMeaning, runStyle: string | undefined, paragraphStyle: string | undefined): RunMeaning {
    if (this.styles.size === 0) return own;
    const chain = [...this.chain(runStyle), ...this.chain(paragraphStyle ?? this.normal)].map(
      ([, { meaning }]) => meaning,
    );
    const meaning: RunMeaning = {};
    for (const { isHidden, isStruck, shift } of [own, ...chain]) {
      meaning.isHidden ??= isHidden;
      meaning.isStruck ??= isStruck;
      meaning.shift ??= shift;
    }
    return meaning;
  }

  /** The first of several styles with the same id is valid. */
  private styleOf(attributes: Attributes): Style {
    const id = attributeOf(attributes, 'styleId') ?? '';
    const isDefault = attributes['w:default'] !== undefined && isOn({ val: attributes['w:default'] });
    if (isDefault && attributeOf(attributes, 'type') === 'paragraph') this.normal ??= id;
    const style: Style = { meaning: {} };
    if (!this.styles.has(id)) this.styles.set(id, style);
    return style;
  }
}

function readReference(reference: NumberingReference, name: string, attributes: Attributes): void {
  if (name === 'w:numId') reference.numId = valueOf(attributes);
  if (name === 'w:ilvl') reference.level = integerOf(valueOf(attributes));
}

interface Level extends ListLevel {
  style?: string;
}

interface Definition {
  levels: (Level | undefined)[];
  numStyleLink?: string;
}

interface Instance extends Definition {
  definition?: string;
  restarts: Map<number, number>;
}

/** The lists in `numbering.xml` ([ECMA-376] part 1, 17.9). */
export class WordLists {
  private readonly definitions = new Map<string, Definition>();
  private readonly instances = new Map<string, Instance>();
  private readonly lists = new Map<string, WordList | undefined>();

  constructor(
    private readonly styles: WordStyles,
    xml = '',
  ) {
    let definition: Definition = { levels: [] };
    let instance: Instance = { levels: [], restarts: new Map() };
    let level: Level = levelAt(0);
    let index = 0;
    visitXml(xml, {
      open: (name, attributes, path) => {
        if (path.includes('mc:Fallback')) return;
        const value = valueOf(attributes);
        if (name === 'w:abstractNum') {
          definition = add(this.definitions, attributeOf(attributes, 'abstractNumId'), { levels: [] });
        } else if (name === 'w:num') {
          instance = add(this.instances, attributeOf(attributes, 'numId'), { levels: [], restarts: new Map() });
        } else if (name === 'w:lvlOverride') {
          index = integerOf(attributeOf(attributes, 'ilvl')) ?? 0;
        } else if (name === 'w:lvl') {
          const isOverride = path.includes('w:lvlOverride');
          index = integerOf(attributeOf(attributes, 'ilvl')) ?? (isOverride ? index : 0);
          level = levelAt(index);
          (isOverride ? instance : definition).levels[index] = level;
        } else if (name === 'w:numStyleLink') definition.numStyleLink = value;
        else if (name === 'w:abstractNumId') instance.definition = value;
        else if (name === 'w:startOverride') instance.restarts.set(index, integerOf(value) ?? 0);
        else if (path.includes('w:lvl')) readLevel(level, index, name, attributes);
      },
    });
  }

  /** The list and the level of a paragraph: its own properties, or those of its style. */
  find(reference: NumberingReference, style: string | undefined): { list: WordList; level: number } | undefined {
    const chain = this.styles.chain(style ?? this.styles.normal);
    const numId = reference.numId ?? chain.find(([, { numId }]) => numId !== undefined)?.[1].numId;
    const list = numId === undefined ? undefined : this.list(numId);
    if (!list) return undefined;
    return { list, level: reference.level ?? levelOfStyle(list, chain) };
  }

  private list(numId: string): WordList | undefined {
    if (!this.lists.has(numId)) this.lists.set(numId, this.buildList(numId));
    return this.lists.get(numId);
  }

  private buildList(numId: string): WordList | undefined {
    const instance = this.instances.get(numId);
    const definition = this.definitionOf(instance);
    if (!instance || !definition) return undefined;
    const levels = definition.levels.slice();
    instance.levels.forEach((level, index) => {
      // Word ignores lvlRestart of an override ([MS-OI29500] 2.1.294).
      if (level) levels[index] = { ...level, restartBelow: levels[index]?.restartBelow ?? index };
    });
    return { key: instance.definition ?? '', levels, restarts: instance.restarts };
  }

  /** A definition may refer to that of a list style. */
  private definitionOf(instance: Instance | undefined): Definition | undefined {
    let definition = this.definitions.get(instance?.definition ?? '');
    for (let links = 0; definition?.numStyleLink !== undefined && links < MAX_STYLE_CHAIN_LENGTH; links++) {
      const numId = this.styles.chain(definition.numStyleLink)[0]?.[1].numId;
      definition = this.definitions.get(this.instances.get(numId ?? '')?.definition ?? '');
    }
    return definition;
  }
}

/** Keeps the first of several entries with the same id. */
function add<T>(entries: Map<string, T>, id: string | undefined, entry: T): T {
  if (id !== undefined && !entries.has(id)) entries.set(id, entry);
  return entry;
}

/** The level that is linked to the style; otherwise the one that the style names. */
function levelOfStyle({ levels }: WordList, chain: [id: string, style: Style][]): number {
  for (const [id, { level }] of chain) {
    const linked = levels.findIndex((each: Level | undefined) => each?.style === id);
    if (linked >= 0) return linked;
    if (level !== undefined) return level;
  }
  return 0;
}

const levelAt = (index: number): Level => ({
  start: 0,
  format: 'decimal',
  label: [],
  restartBelow: index,
  isLegal: false,
});

function readLevel(level: Level, index: number, name: string, attributes: Attributes): void {
  const value = valueOf(attributes);
  if (name === 'w:start') level.start = integerOf(value) ?? 0;
  if (name === 'w:numFmt') level.format = formatOf(value, attributes);
  if (name === 'w:lvlText') level.label = partsOf(value ?? '');
  if (name === 'w:pStyle') level.style = value;
  if (name === 'w:isLgl') level.isLegal = isOn(attributes);
  if (name === 'w:lvlRestart') level.restartBelow = Math.min(integerOf(value) ?? index, index);
}

/** `001, 002, 003, …` is the only custom format of Word: numbers with leading zeros. */
function formatOf(value: string | undefined, attributes: Attributes): string {
  if (value !== 'custom') return value ?? 'decimal';
  const digits = /^0*1\b/.exec(attributeOf(attributes, 'format') ?? '')?.[0].length ?? 1;
  return digits > 1 ? `decimalZero${Math.min(digits, 9)}` : 'decimal';
}

/** "Section %1.%2" is `['Section ', 0, '.', 1]`. */
const partsOf = (text: string): (string | number)[] =>
  text
    .slice(0, MAX_LABEL_LENGTH)
    .split(/(%[1-9])/)
    .filter((part) => part !== '')
    .map((part) => (/^%[1-9]$/.test(part) ? Number(part[1]) - 1 : part));

/** Bookmarks of Word have no colon in their names. */
const LABEL_MARK = 'label:';

/** The label in the name of a bookmark that `withListLabels` inserted. */
export const labelOfBookmark = (name: string | undefined): string | undefined =>
  name?.startsWith(LABEL_MARK) ? name.slice(LABEL_MARK.length) : undefined;

interface Paragraph extends NumberingReference {
  style?: string;
  /** Where its bookmark is inserted. */
  at: number;
  isLabelled: boolean;
  /** Deleted or hidden paragraphs are not counted. */
  isSkipped: boolean;
  isSeparator: boolean;
}

/**
 * Inserts the label of each list paragraph ("4.2", "a)") into the XML of a document, as a bookmark at the beginning of the
 * paragraph. mammoth returns neither the list of a paragraph nor its style's, but it keeps bookmarks in place.
 */
export function withListLabels(xml: string, lists: WordLists): string {
  const marker = new LabelMarker(xml, lists);
  visitXml(xml, marker);
  return marker.result();
}

class LabelMarker implements XmlVisitor {
  private readonly labels = new ListLabels();
  private readonly pieces: string[] = [];
  private readonly paragraphs: Paragraph[] = [];
  /** Whether each of the open table rows is deleted. */
  private readonly rows: boolean[] = [];
  private readonly bookmark: (label: string) => string;
  private copied = 0;

  constructor(
    private readonly xml: string,
    private readonly lists: WordLists,
  ) {
    this.bookmark = bookmarksOf(xml);
  }

  result(): string {
    return this.pieces.length === 0 ? this.xml : this.pieces.join('') + this.xml.slice(this.copied);
  }

  open(name: string, attributes: Attributes, path: readonly string[], end: number): void {
    // mammoth reads the fallback only: with the other choices, each text box would be counted twice.
    if (path.includes('mc:Choice')) return;
    const paragraph = this.paragraphs.at(-1);
    if (paragraph && endsWith(path, 'w:p') && name !== 'w:pPr') this.label(paragraph);
    if (name === 'w:p') {
      this.paragraphs.push({ at: end, isLabelled: false, isSkipped: this.rows.includes(true), isSeparator: false });
    } else if (name === 'w:tr') this.rows.push(false);
    else if (name === 'w:del' && endsWith(path, 'w:tr', 'w:trPr')) this.rows.splice(-1, 1, true);
    else if (paragraph) readParagraph(paragraph, name, attributes, path);
  }

  close(name: string, path: readonly string[], end: number): void {
    if (path.includes('mc:Choice')) return;
    const paragraph = this.paragraphs.at(-1);
    if (name === 'w:tr') this.rows.pop();
    if (name === 'w:pPr' && paragraph && endsWith(path, 'w:p')) {
      paragraph.at = end;
      this.label(paragraph);
    }
    if (name === 'w:p' && paragraph) {
      this.label(paragraph);
      this.paragraphs.pop();
    }
  }

  private label(paragraph: Paragraph): void {
    if (paragraph.isLabelled) return;
    paragraph.isLabelled = true;
    if (paragraph.isSkipped && !paragraph.isSeparator) return;
    const found = this.lists.find(paragraph, paragraph.style);
    const label = found ? this.labels.next(found.list, found.level) : '';
    if (label === '' || this.xml[paragraph.at - 2] === '/') return;
    this.pieces.push(this.xml.slice(this.copied, paragraph.at), this.bookmark(label));
    this.copied = paragraph.at;
  }
}

function readParagraph(paragraph: Paragraph, name: string, attributes: Attributes, path: readonly string[]): void {
  if (endsWith(path, 'w:p', 'w:pPr', 'w:numPr')) readReference(paragraph, name, attributes);
  if (name === 'w:pStyle' && endsWith(path, 'w:p', 'w:pPr')) paragraph.style = valueOf(attributes);
  if (!endsWith(path, 'w:p', 'w:pPr', 'w:rPr')) return;
  if (name === 'w:del' || name === 'w:moveFrom') paragraph.isSkipped = true;
  if (name === 'w:vanish' && isOn(attributes)) paragraph.isSkipped = true;
  // A style separator joins a heading with the paragraph after it; the heading keeps its number.
  if (name === 'w:specVanish') paragraph.isSeparator = isOn(attributes);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? '');

/**
 * Writes elements of Word for an XML text, with the prefix of the document: a namespace in each element would take 2 KB of memory for
 * each. `attributes` have names without a prefix.
 */
export function wordElements(xml: string): WordElement {
  const root = xml.slice(0, Math.max(0, xml.search(/<(?:\w+:)?(?:body|footnote|endnote)\b/)));
  const declared = [WORD, STRICT_WORD].find((namespace) => root.includes(`="${namespace}"`));
  const prefix = declared && new RegExp(`xmlns:([\\w.-]+)="${declared}"`).exec(root)?.[1];
  const [name, namespace] = prefix ? [prefix, ''] : ['label', ` xmlns:label="${WORD}"`];
  return (local, content = '', attributes = {}) => {
    const written = Object.entries(attributes).map(([key, value]) => ` ${name}:${key}="${escapeXml(value)}"`);
    return `<${name}:${local}${namespace}${written.join('')}>${content}</${name}:${local}>`;
  };
}

export type WordElement = (local: string, content?: string, attributes?: Record<string, string>) => string;

function bookmarksOf(xml: string): (label: string) => string {
  const element = wordElements(xml);
  return (label) => element('bookmarkStart', '', { name: LABEL_MARK + label });
}
