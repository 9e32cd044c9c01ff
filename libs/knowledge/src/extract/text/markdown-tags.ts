/** The bound keeps the search linear in a text of tags that never end. */
const TAG = /(?<!\\)<(\/?)([a-z][a-z\d-]*)(?:[\s/][^<>]{0,2000})?>/gi;
/** Tags that are compared to find the place of one. */
const MAX_COMPARED = 64;

/** The HTML tags of a text with the end tag of each: an end tag belongs to the last open one of its name. */
export class MarkdownTags {
  /** Positions of all tags, and those of their end tags; -1 without one. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly lastEnds = new Map<string, number>();

  constructor(private readonly text: string) {
    const open = new Map<string, number[]>();
    for (const { 0: tag, 1: slash, 2: spelled = '', index } of text.matchAll(TAG)) {
      const name = spelled.toLowerCase();
      this.starts.push(index);
      this.ends.push(-1);
      const waiting = open.get(name);
      if (slash !== '') {
        this.lastEnds.set(name, index);
        const start = waiting?.pop();
        if (start !== undefined) this.ends[start] = index;
      } else if (!tag.endsWith('/>')) {
        if (waiting) waiting.push(this.starts.length - 1);
        else open.set(name, [this.starts.length - 1]);
      }
    }
  }

  /** The position of the first tag with this spelling from `from` to `to`. */
  find(tag: string, from: number, to: number): number | undefined {
    const first = this.indexFrom(from);
    for (let index = first; index < first + MAX_COMPARED; index++) {
      const start = this.starts[index];
      if (start === undefined || start >= to) return undefined;
      if (this.text.startsWith(tag, start)) return start;
    }
    return undefined;
  }

  /** The position of the end tag that belongs to the tag at a position. */
  endOf(start: number): number | undefined {
    const index = this.indexFrom(start);
    const end = this.starts[index] === start ? this.ends[index]! : -1;
    return end < 0 ? undefined : end;
  }

  /** Whether any end tag of this name follows. */
  hasEndAfter(name: string, position: number): boolean {
    return (this.lastEnds.get(name) ?? -1) > position;
  }

  private indexFrom(position: number): number {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
