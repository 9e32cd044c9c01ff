const OPENING = '<think>';
const CLOSING = '</think>';

/** Removes the thoughts that a model writes into its text, between `<think>` tags, which may be split over parts. */
export class SpokenText {
  private held = '';
  private isThinking = false;

  /** Returns the words that may be spoken. */
  push(text: string): string {
    this.held += text;
    let spoken = '';
    for (;;) {
      const tag = this.isThinking ? CLOSING : OPENING;
      const at = this.held.indexOf(tag);
      const end = at < 0 ? this.held.length - beginningAtEnd(this.held, tag) : at;
      if (!this.isThinking) spoken += this.held.slice(0, end);
      this.held = this.held.slice(at < 0 ? end : at + tag.length);
      if (at < 0) return spoken;
      this.isThinking = !this.isThinking;
    }
  }

  /** The rest, which was no tag. */
  end(): string {
    const rest = this.isThinking ? '' : this.held;
    this.held = '';
    return rest;
  }
}

/** The length of the longest end of the text with which the tag begins. */
function beginningAtEnd(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (tag.startsWith(text.slice(-length))) return length;
  return 0;
}
