import type { HeadingBlock } from '../blocks.js';
import { HEADING, SMALL_SECTION, weigh } from './token-estimate.js';
import { type Piece, pieceOf } from './piece.js';

export interface Heading {
  level: number;
  piece: Piece;
}

/** What stands above a text: the path to it, and what no text has stood under before. */
export interface Place {
  path: Heading[];
  /** Those of the path that are new with this text. */
  opened: Heading[];
  /** Headings that ended without a text: they go with the next one. */
  bare: Piece[];
}

/** The headings above the text that comes next. */
export class Outline {
  private path: Heading[] = [];
  private withText = new Set<Heading>();
  private bare: Piece[] = [];

  /** False: too long for a heading. */
  open(block: HeadingBlock): boolean {
    const text = block.text.replace(/\s+/g, ' ').trim();
    if (weigh(text) > HEADING) return false;
    // Six levels, so that the path of a chunk stays short whatever a file says.
    const level = Math.min(Math.max(block.level, 1), 6);
    this.close(level);
    if (text !== '') this.path.push({ level, piece: { ...pieceOf(block, text), end: endOf(block) } });
    return true;
  }

  /** There are more headings without a text than should wait for one: they make a text of their own. */
  get isFull(): boolean {
    return this.bare.length > 0 && this.bare.reduce((sum, { weight }) => sum + weight, 0) > SMALL_SECTION;
  }

  /** For a text that comes now. */
  take(): Place {
    const opened = this.path.filter((heading) => !this.withText.has(heading));
    for (const heading of opened) this.withText.add(heading);
    return { path: [...this.path], opened, bare: this.takeBare() };
  }

  /** Nothing comes any more: every heading that no text has stood under. */
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
