import type { Chunk } from '../blocks.js';
import { LIMIT, OVERLAP, TARGET, TINY, weigh, wholeTokens } from './token-estimate.js';
import type { Piece } from './piece.js';

/** Pieces on their way to a chunk. */
export class Draft {
  readonly pieces: Piece[] = [];
  weight = 0;
  /** The header of the table whose rows came last. */
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

  /** Takes the other's pieces in, but for what it repeats, if the limit allows it. */
  absorb(other: Draft): boolean {
    if (this.weight + other.weight > LIMIT) return false;
    for (const piece of other.pieces) if (!piece.repeated) this.add(piece);
    return true;
  }

  /** The draft that follows it and begins with `piece`: inside a split paragraph it repeats the last sentence. */
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

export function chunkOf(ordinal: number, headingPath: string[], pieces: Piece[]): Chunk {
  // PostgreSQL stores no NUL; a space keeps the offsets.
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

/** Of the one table in it; a chunk with several small tables has no row numbers that mean something. */
function rowsOf(pieces: Piece[]): Chunk['rows'] {
  const rows = pieces.flatMap(({ row }) => row ?? []);
  const [first] = rows;
  if (!first || rows.some(({ table }) => table !== first.table)) return undefined;
  return { first: first.number, last: rows.at(-1)!.number };
}
