import type { Block, Chunk, ParagraphBlock, RowBlock } from '../blocks.js';
import { chunkOf, Draft } from './draft.js';
import { SMALL_SECTION, TARGET } from './token-estimate.js';
import { Outline, type Heading, type Place } from './outline.js';
import { paragraphPieces, type Piece } from './piece.js';
import { rowPieces, tableWords, type TableWords } from './row-pieces.js';

/** The text under one heading: what is in work, and one finished draft that waits whether a tiny rest follows. */
interface Section extends Place {
  finished?: Draft;
  draft: Draft;
}

/**
 * Blocks in, finished chunks out; holds no more than about three chunks. Chunks keep to sections, paragraphs and rows:
 * a paragraph is parted (between sentences, one of which is repeated) only where it is too long for a chunk. Small sections
 * that follow each other under one heading share a chunk, whose path ends at that heading; their own stand in its text.
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

  /** As `add`, one by one: the caller can pause inside a long paragraph. */
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

  /** The section and those waiting stand under one heading, or it stands under the first of them, and they fit together. */
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

/** The section's text below those of its headings that are not in the chunk's path. */
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
