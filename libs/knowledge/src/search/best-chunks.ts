interface Scored {
  at: number;
  score: number;
}

/** Keeps the best of many scores in a heap whose top is the one to give way. Of equal scores the one offered first stays. */
export class BestChunks {
  private readonly heap: Scored[] = [];

  constructor(private readonly most: number) {}

  /** Takes a score that exceeds what the last call gave (0 at first), in ascending order of `at`. Gives what the next one must exceed. */
  offer(at: number, score: number): number {
    if (this.heap.length < this.most) {
      this.heap.push({ at, score });
      this.rise(this.heap.length - 1);
    } else {
      this.heap[0] = { at, score };
      this.sink(0);
    }
    return this.heap.length < this.most ? 0 : this.heap[0]!.score;
  }

  inOrder(): Scored[] {
    return [...this.heap].sort((a, b) => b.score - a.score || a.at - b.at);
  }

  private rise(place: number): void {
    for (let child = place; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.weaker(child, parent)) return;
      this.swap(child, parent);
      child = parent;
    }
  }

  private sink(place: number): void {
    for (let parent = place; ;) {
      let weakest = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < this.heap.length && this.weaker(child, weakest)) weakest = child;
      if (weakest === parent) return;
      this.swap(parent, weakest);
      parent = weakest;
    }
  }

  private weaker(a: number, b: number): boolean {
    const [one, other] = [this.heap[a]!, this.heap[b]!];
    return one.score < other.score || (one.score === other.score && one.at > other.at);
  }

  private swap(a: number, b: number): void {
    [this.heap[a], this.heap[b]] = [this.heap[b]!, this.heap[a]!];
  }
}
