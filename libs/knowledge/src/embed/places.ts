/** So many at once; the others wait in order. */
export class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async with<T>(work: () => Promise<T>): Promise<T> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free--;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
