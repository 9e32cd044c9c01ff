import type { Block, Chunk, HeadingBlock, ParagraphBlock, RowBlock } from '../blocks.js';
import { HEADING, LIMIT, OVERLAP, SMALL_SECTION, TARGET, TINY, weigh, wholeTokens } from './text-measures.js';
import { paragraphPieces, type Piece, pieceOf, rowPieces, tableWords, type TableWords } from './pieces.js';

/** The text under one heading: the current draft, and the finished one before it, which may absorb a tiny remainder. */
interface Section extends Place {
  finished?: Draft;
  draft: Draft;
}

/**
 * Turns blocks into chunks; buffers about three chunks at most. Chunks respect the boundaries of sections, paragraphs and rows:
 * only a paragraph that is too long for a chunk is split, between sentences, one of which is repeated. Consecutive small
 * sections under one heading share a chunk: its path ends at that heading, and their own headings are part of its text.
 */
export class Chunker {
  private readonly outline = new Outline();
  private section?: Section;
  private small: Section[] = [];
  private words?: TableWords;
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
    const isFirst = this.words?.table !== row.table;
    if (isFirst) this.words = tableWords(row.table);
    const words = this.words!;
    if (isFirst && words.preface !== '') this.addPreface(row, words.preface);
    for (const piece of rowPieces(row, words)) {
      const start = isFirst ? Math.min(row.table.offset ?? piece.start, piece.start) : piece.start;
      this.put({ ...piece, start });
    }
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
    const { finished, draft, path } = section;
    if (!finished) {
      this.addSmall(section);
      return;
    }
    const isTaken = draft.isTiny && finished.absorb(draft);
    this.emit(path, finished.pieces);
    if (!isTaken) this.emit(path, draft.pieces);
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

  private emit(path: Heading[], pieces: Piece[]): void {
    const titles = path.map(({ piece }) => piece.text);
    this.chunks.push(chunkOf(this.ordinal++, titles, pieces));
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
  /** Header of the table whose rows were added last. */
  private header?: string;

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
    if (this.needsHeader(piece)) this.pieces.push(headerOf(piece));
    this.pieces.push(piece);
    this.header = piece.row ? (piece.row.header ?? this.header) : undefined;
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

  private needsHeader({ row }: Piece): boolean {
    return Boolean(row?.header) && row?.header !== this.header;
  }

  private weightOf(piece: Piece): number {
    const header = this.needsHeader(piece) ? weigh(piece.row!.header!) + weigh('\n\n') : 0;
    return header + piece.weight + (this.isEmpty ? 0 : weigh(piece.glue));
  }
}

const headerOf = (piece: Piece): Piece => ({
  ...piece,
  text: piece.row!.header!,
  weight: weigh(piece.row!.header!),
  glue: '\n\n',
  row: undefined,
  repeated: true,
});

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

/** Row numbers of the chunk's only table; they would be ambiguous in a chunk with several tables. */
function rowsOf(pieces: Piece[]): Chunk['rows'] {
  const rows = pieces.flatMap(({ row }) => row ?? []);
  const [first] = rows;
  if (!first || rows.some(({ table }) => table !== first.table)) return undefined;
  return { first: first.number, last: rows.at(-1)!.number };
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
