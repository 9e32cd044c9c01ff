const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** Sentences of a text that arrives in pieces, to be judged: they keep their markup, and are not made for speech. */
export class Sentences {
  private rest = '';

  /** The sentences that are complete now: more text follows them. */
  push(text: string): string[] {
    const all = [...SENTENCES.segment(this.rest + text)].map(({ segment }) => segment);
    this.rest = all.pop() ?? '';
    return spoken(all);
  }

  /** The remaining sentence; no text follows. */
  end(): string[] {
    return spoken([this.rest]);
  }
}

const spoken = (sentences: readonly string[]): string[] => sentences.map((one) => one.trim()).filter(Boolean);
