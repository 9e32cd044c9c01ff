/** What a filter sees: the last samples of a stream, and the new ones behind them. */
export class SampleHistory {
  private window: Int16Array;

  constructor(private readonly memory: number) {
    this.window = new Int16Array(memory);
  }

  with(samples: Int16Array): Int16Array {
    const length = this.memory + samples.length;
    if (this.window.length === length) {
      this.window.copyWithin(0, samples.length);
    } else {
      const resized = new Int16Array(length);
      resized.set(this.window.subarray(-this.memory));
      this.window = resized;
    }
    this.window.set(samples, this.memory);
    return this.window;
  }
}
