/** The passages of a splitter, and their text for the search. */
export interface Passage {
  text: string;
  indexed: string;
}

export interface Asked {
  text: string;
  answer: string;
}

const K1 = 1.2;
const B = 0.75;

export interface Tokenizer {
  encode(text: string): number[];
  decode(tokens: number[]): string;
}

/**
 * The share of questions whose answer is contained in the first `room` tokens of the best passages, with the last passage cut
 * off. The search is the same for every splitter: plain BM25 over words.
 */
export function answeredShare(passages: Passage[], questions: Asked[], room: number, tokenizer: Tokenizer): number {
  const index = new Bm25(passages.map(({ indexed }) => indexed));
  const answered = questions.filter(({ text, answer }) => {
    let left = room;
    for (const at of index.ranked(text)) {
      const tokens = tokenizer.encode(passages[at]!.text);
      const shown = tokens.length > left ? tokenizer.decode(tokens.slice(0, left)) : passages[at]!.text;
      if (shown.includes(answer)) return true;
      left -= tokens.length;
      if (left <= 0) return false;
    }
    return false;
  });
  return answered.length / questions.length;
}

class Bm25 {
  private readonly postings = new Map<string, [passage: number, count: number][]>();
  private readonly lengths: number[];
  private readonly meanLength: number;

  constructor(texts: string[]) {
    const words = texts.map(wordsOf);
    this.lengths = words.map((list) => list.length);
    this.meanLength = this.lengths.reduce((sum, length) => sum + length, 0) / texts.length;
    for (const [at, list] of words.entries()) this.add(at, list);
  }

  /** Passages, best first. */
  ranked(query: string): number[] {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) this.score(word, scores);
    return [...scores].sort(([a, one], [b, two]) => two - one || a - b).map(([at]) => at);
  }

  private add(at: number, words: string[]): void {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const list = this.postings.get(word) ?? [];
      this.postings.set(word, list);
      list.push([at, count]);
    }
  }

  private score(word: string, scores: Map<number, number>): void {
    const found = this.postings.get(word) ?? [];
    const rarity = Math.log(1 + (this.lengths.length - found.length + 0.5) / (found.length + 0.5));
    for (const [at, count] of found) {
      const length = 1 - B + (B * this.lengths[at]!) / this.meanLength;
      scores.set(at, (scores.get(at) ?? 0) + (rarity * count * (K1 + 1)) / (count + K1 * length));
    }
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
