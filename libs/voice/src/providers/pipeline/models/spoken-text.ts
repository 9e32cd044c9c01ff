/** What models put around their thoughts: `<think>`, `<thinking>`, `<thought>`, `[THINK]` and others. */
const NAMES = 'think|thinking|thoughts?|thought_process|reason|reasoning|reflection|scratchpad|inner_monologue';
const MARK = new RegExp(
  `<(/?)(?:[a-z]{1,12}:)?(?:${NAMES})(?:\\s[^<>]{0,100})?>|\\[(/?)THINK\\]|◁(/?)think▷|<\\|(begin|end)_of_(?:thought|thinking|reasoning)\\|>`,
  'iu',
);
/** The begin of what may be a mark, at the end of a piece. */
const OPEN_END = new RegExp(
  `(?:</?[a-z_:]{0,32}|</?(?:${NAMES})\\s[^<>]{0,100}|<\\|[a-z_]{0,24}\\|?|\\[/?[a-z]{0,5}|◁/?[a-z]{0,5})$`,
  'iu',
);

/** What an answer begins with: its words or marked thoughts (`words`), or thoughts without an opening mark (`thoughts`). */
export type Beginning = 'words' | 'thoughts' | 'unknown';

/**
 * Removes the thoughts that a model writes into its text. Marks may be split over pieces. Some servers write the opening mark into the
 * prompt, so that only the closing one arrives: unless the answer begins with its words, the text is buffered until it ends.
 */
export class SpokenText {
  private held = '';
  /** Words that turn out to be thoughts when a closing mark follows. */
  private unsure: string | undefined;
  private isThinking = false;
  private hasUnopened = false;

  constructor(private readonly beginning: Beginning) {
    this.unsure = beginning === 'words' ? undefined : '';
  }

  /** Returns the words that may be spoken. */
  push(text: string): string {
    this.held += text;
    let spoken = '';
    for (let mark = MARK.exec(this.held); mark; mark = MARK.exec(this.held)) {
      const before = this.held.slice(0, mark.index);
      this.held = this.held.slice(mark.index + mark[0].length);
      if (!isClosing(mark)) spoken += this.opened(before);
      // Without an opening mark everything before it was a thought; what earlier pieces have said cannot be taken back.
      else if (!this.close()) spoken = '';
    }
    const rest = this.held.length - (OPEN_END.exec(this.held)?.[0].length ?? 0);
    spoken += this.said(this.held.slice(0, rest));
    this.held = this.held.slice(rest);
    return spoken;
  }

  /** The model began with thoughts that nothing announced. */
  get beganThinking(): boolean {
    return this.hasUnopened;
  }

  /** The server reports thoughts apart from the text. Returns the words that were kept back. */
  separates(): string {
    const { unsure = '' } = this;
    this.unsure = undefined;
    return unsure;
  }

  /** The rest. `isComplete`: the model ended by itself; an answer that was cut off may end within the thoughts that a model begins with. */
  end(isComplete: boolean): string {
    const rest = this.said(this.held);
    this.held = '';
    return rest + (isComplete || this.beginning === 'unknown' ? this.separates() : '');
  }

  private opened(before: string): string {
    const words = this.separates() + this.said(before);
    this.isThinking = true;
    return words;
  }

  /** Returns whether the thoughts had an opening mark. */
  private close(): boolean {
    const hasOpened = this.isThinking;
    this.isThinking = false;
    this.unsure = undefined;
    this.hasUnopened ||= !hasOpened;
    return hasOpened;
  }

  private said(text: string): string {
    if (this.isThinking) return '';
    if (this.unsure === undefined) return text;
    this.unsure += text;
    return '';
  }
}

const isClosing = ([, tag, bracket, triangle, word]: RegExpExecArray): boolean =>
  tag === '/' || bracket === '/' || triangle === '/' || word?.toLowerCase() === 'end';
