import type { Block, Chunk, HeadingBlock, ParagraphBlock, RowBlock } from '../blocks.js';
import { HEADING, LIMIT, OVERLAP, SMALL_SECTION, TARGET, TINY, weigh, wholeTokens } from './text-measures.js';
import { headerPiece, paragraphPieces, type Piece, pieceOf, rowPieces, tableWords, type TableWords } from './pieces.js';

/** The text under one heading: the current draft, and the finished one before it, which may absorb a tiny remainder. */
interface Section extends Place {
  finished?: Draft;
  draft: Draft;
  /** Number of the last table, if the section has one. */
  table?: number;
}

/**
 * Turns blocks into chunks; buffers about three chunks at most. Chunks respect the boundaries of sections, paragraphs and rows:
 * only a paragraph that is too long for a chunk is split, between sentences, one of which is repeated. Consecutive small
 * sections under one heading share a chunk: its path ends at that heading, and their own headings are part of its text.
 *
 * Each row of a table is a chunk, because a search must tell it from its neighbours. The text above a table, and a note of a few
 * words below it, carry the number of the table: a search adds them to its rows.
 */
export class Chunker {
  private readonly outline = new Outline();
  private section?: Section;
  private small: Section[] = [];
  private words?: TableWords;
  /** Whether the current table has a row with content. */
  private hasRows = false;
  /** Number of the current table, from 1. */
  private table = 0;
  private ordinal = 0;
  private chunks: Chunk[] = [];

  add(block: Block): Chunk[] {
    return [...this.chunksOf(block)];
  }

  /** Like `add`, one chunk at a time: the caller can pause inside a long paragraph. */
  *chunksOf(block: Block): Generator<Chunk> {
    if (block.kind === 'heading') this.addHeading(block);
    else if (block.kind === 'row') this.addRow(block);
    else yield* this.chunksOfParagraph(block);
    yield* this.takeChunks();
  }

  end(): Chunk[] {
    this.endSection();
    this.addBareHeadings(this.outline.finish());
    this.emitSmall();
    return this.takeChunks();
  }

  private *chunksOfParagraph(block: ParagraphBlock): Generator<Chunk> {
    for (const piece of paragraphPieces(block)) {
      this.put(piece);
      if (this.chunks.length > 0) yield* this.takeChunks();
    }
  }

  private addHeading(block: Extract<Block, { kind: 'heading' }>): void {
    this.endSection();
    if (!this.outline.open(block)) {
      for (const piece of paragraphPieces({ ...block, kind: 'paragraph' })) this.put(piece);
    } else if (this.outline.isFull) {
      this.addBareHeadings({ path: [], opened: [], bare: this.outline.takeBare() });
    }
  }

  private addRow(row: RowBlock): void {
    if (this.words?.table !== row.table) [this.words, this.hasRows] = [tableWords(row.table), false];
    const { words } = this;
    const pieces = rowPieces(row, words);
    if (pieces.length === 0) return;
    const isFirst = !this.hasRows;
    if (isFirst) this.beginTable(row, words);
    const section = (this.section ??= this.beginSection());
    this.emitText(section, this.table);
    section.table = this.table;
    for (const piece of pieces) {
      const start = isFirst ? Math.min(row.table.offset ?? piece.start, piece.start) : piece.start;
      this.emitRow(section, words, { ...piece, start });
    }
  }

  private beginTable(row: RowBlock, words: TableWords): void {
    this.hasRows = true;
    this.table += 1;
    if (words.preface !== '') this.addPreface(row, words.preface);
  }

  private emitRow({ path }: Section, words: TableWords, piece: Piece): void {
    const { table } = this;
    if (!piece.row?.isLine) return this.emit(path, [piece], { table });
    if (words.header === '') return this.emit(path, [piece], { table, headerLength: 0 });
    this.emit(path, [headerPiece(piece, words), piece], { table, headerLength: words.header.length + 1 });
  }

  private addPreface(row: RowBlock, text: string): void {
    const { offset, page } = row;
    for (const piece of paragraphPieces({ kind: 'paragraph', text, offset, page, length: 0 })) this.put(piece);
  }

  private addBareHeadings(place: Place): void {
    if (place.bare.length === 0) return;
    this.section = { ...place, bare: [], draft: new Draft() };
    for (const piece of place.bare) this.put(piece);
    this.endSection();
  }

  private put(piece: Piece): void {
    const section = (this.section ??= this.beginSection());
    if (section.draft.takes(piece)) {
      section.draft.add(piece);
      return;
    }
    this.emitSmall();
    if (section.finished) this.emit(section.path, section.finished.pieces);
    section.finished = section.draft;
    section.draft = section.draft.next(piece);
  }

  private beginSection(): Section {
    const place = this.outline.take();
    const draft = new Draft();
    for (const heading of place.bare) draft.add(heading);
    return { ...place, draft };
  }

  private endSection(): void {
    const { section } = this;
    this.section = undefined;
    if (!section) return;
    if (section.finished || section.table !== undefined) this.emitText(section);
    else this.addSmall(section);
  }

  /** Emits the pending text of the section; `next`: the number of the table that follows it. */
  private emitText(section: Section, next?: number): void {
    this.emitSmall();
    const { finished, draft, path, table: before } = section;
    if (draft.isEmpty) return;
    section.finished = undefined;
    section.draft = new Draft();
    const isTaken = finished && draft.isTiny && finished.absorb(draft);
    if (finished) this.emit(path, finished.pieces, { table: isTaken ? next : undefined });
    if (!isTaken) this.emit(path, draft.pieces, { table: next ?? (!finished && draft.isTiny ? before : undefined) });
  }

  private addSmall(section: Section): void {
    if (!this.isSibling(section)) this.emitSmall();
    this.small.push(section);
  }

  /**
   * Whether the section and the pending ones fit into one chunk and share a heading, or the first of them contains
   * the section.
   */
  private isSibling(section: Section): boolean {
    const [first] = this.small;
    if (!first) return true;
    const waiting = sum(this.small);
    const own = sum([section]);
    if (Math.min(waiting, own) > SMALL_SECTION || waiting + own > TARGET) return false;
    return commonPath([...this.small, section]).length >= first.path.length - 1;
  }

  private emitSmall(): void {
    const sections = this.small;
    if (sections.length === 0) return;
    this.small = [];
    const path = commonPath(sections);
    this.emit(
      path,
      sections.flatMap((section) => withHeadings(section, path.length)),
    );
  }

  private emit(path: Heading[], pieces: Piece[], place: Pick<Chunk, 'table' | 'headerLength'> = {}): void {
    const titles = path.map(({ piece }) => piece.text);
    this.chunks.push({ ...chunkOf(this.ordinal++, titles, pieces), ...place });
  }

  private takeChunks(): Chunk[] {
    const { chunks } = this;
    this.chunks = [];
    return chunks;
  }
}

/** The section's text below its headings that are not in the chunk's path. */
function withHeadings({ path, opened, bare, draft }: Section, depth: number): Piece[] {
  const below = opened.filter((heading) => path.indexOf(heading) >= depth).map(({ piece }) => piece);
  return [...draft.pieces.slice(0, bare.length), ...below, ...draft.pieces.slice(bare.length)];
}

const sum = (sections: Section[]): number =>
  sections
    .flatMap(({ draft, opened }) => [draft.weight, ...opened.map(({ piece }) => piece.weight + 110)])
    .reduce((total, weight) => total + weight, 0);

function commonPath([first, ...others]: Section[]): Heading[] {
  return (first?.path ?? []).filter((heading, depth) => others.every(({ path }) => path[depth] === heading));
}

/** A chunk under construction. */
class Draft {
  readonly pieces: Piece[] = [];
  weight = 0;

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  get isTiny(): boolean {
    return this.weight < TINY;
  }

  takes(piece: Piece): boolean {
    if (this.isEmpty) return true;
    const weight = this.weight + this.weightOf(piece);
    return weight <= TARGET || (this.isTiny && weight <= LIMIT);
  }

  add(piece: Piece): void {
    this.weight += this.weightOf(piece);
    this.pieces.push(piece);
  }

  /** Adds the other draft's pieces, except repeated ones, if the limit allows it. */
  absorb(other: Draft): boolean {
    if (this.weight + other.weight > LIMIT) return false;
    for (const piece of other.pieces) if (!piece.repeated) this.add(piece);
    return true;
  }

  /** The next draft, which begins with `piece`; inside a split paragraph it repeats the last sentence. */
  next(piece: Piece): Draft {
    const draft = new Draft();
    const last = this.pieces.at(-1);
    const overlaps = last?.sentenceOf && last.sentenceOf === piece.sentenceOf && last.weight <= OVERLAP;
    if (overlaps && !last.repeated) draft.add({ ...last, repeated: true });
    draft.add(piece);
    return draft;
  }

  private weightOf(piece: Piece): number {
    return piece.weight + (this.isEmpty ? 0 : weigh(piece.glue));
  }
}

function chunkOf(ordinal: number, headingPath: string[], pieces: Piece[]): Chunk {
  // PostgreSQL rejects NUL; a space keeps the offsets.
  const text = pieces
    .map((piece, n) => (n === 0 ? piece.text : piece.glue + piece.text))
    .join('')
    .replaceAll('\0', ' ');
  return {
    ordinal,
    text,
    headingPath,
    page: pieces.find(({ page }) => page !== undefined)?.page,
    rows: rowsOf(pieces),
    start: Math.min(...pieces.map(({ start }) => start)),
    end: Math.max(...pieces.map(({ end }) => end)),
    tokens: wholeTokens(weightOf(pieces)),
  };
}

const weightOf = (pieces: Piece[]): number =>
  pieces.reduce((sum, { weight, glue }, n) => sum + weight + (n === 0 ? 0 : weigh(glue)), 0);

function rowsOf(pieces: Piece[]): Chunk['rows'] {
  const number = pieces.at(-1)?.row?.number;
  return number === undefined ? undefined : { first: number, last: number };
}

interface Heading {
  level: number;
  piece: Piece;
}

/** The headings that apply to a text. */
interface Place {
  path: Heading[];
  /** Headings of the path whose first text this is. */
  opened: Heading[];
  /** Headings that ended without a text: they are attached to the next one. */
  bare: Piece[];
}

/** Tracks the headings above the next text. */
class Outline {
  private path: Heading[] = [];
  private withText = new Set<Heading>();
  private bare: Piece[] = [];

  /** Returns false if the text is too long for a heading. */
  open(block: HeadingBlock): boolean {
    const text = block.text.replace(/\s+/g, ' ').trim();
    if (weigh(text) > HEADING) return false;
    // Six levels at most, so that a file cannot make the path of a chunk arbitrarily long.
    const level = Math.min(Math.max(block.level, 1), 6);
    this.close(level);
    if (text !== '') this.path.push({ level, piece: { ...pieceOf(block, text), end: endOf(block) } });
    return true;
  }

  /** Too many headings without a text are pending: they become a text themselves. */
  get isFull(): boolean {
    return this.bare.length > 0 && this.bare.reduce((sum, { weight }) => sum + weight, 0) > SMALL_SECTION;
  }

  /** The headings of the text that follows now. */
  take(): Place {
    const opened = this.path.filter((heading) => !this.withText.has(heading));
    for (const heading of opened) this.withText.add(heading);
    return { path: [...this.path], opened, bare: this.takeBare() };
  }

  /** At the end of the document: the headings that are left without a text. */
  finish(): Place {
    this.close(0);
    return { path: [], opened: [], bare: this.takeBare() };
  }

  takeBare(): Piece[] {
    const bare = this.bare;
    this.bare = [];
    return bare;
  }

  private close(level: number): void {
    const keep = this.path.findIndex((heading) => heading.level >= level);
    if (keep < 0) return;
    for (const heading of this.path.splice(keep)) {
      if (!this.withText.delete(heading)) this.bare.push(heading.piece);
    }
  }
}

const endOf = (block: HeadingBlock): number => block.offset + (block.length ?? block.text.length);
