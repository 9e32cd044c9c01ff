import DataLoader from 'dataloader';

interface BatchLimits {
  /** Batches that are written at a time. */
  atOnce: number;
  /** Items of one batch. */
  most: number;
}

/**
 * Joins the items of concurrent callers: an item is written at once, with those of the same turn of the event loop; items that come while
 * `atOnce` batches are being written wait, and are then written together. `write` returns a result or an error for each item.
 */
export class Batches<Item extends object, Result> {
  private readonly loader: DataLoader<Item, Result>;
  private readonly waiting: (() => void)[] = [];
  private active = 0;

  constructor(
    private readonly write: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    private readonly limits: BatchLimits,
  ) {
    this.loader = new DataLoader((items) => this.run(items), {
      cache: false,
      maxBatchSize: limits.most,
      batchScheduleFn: (dispatch) => this.schedule(dispatch),
    });
  }

  load(item: Item): Promise<Result> {
    return this.loader.load(item);
  }

  private schedule(dispatch: () => void): void {
    if (this.active >= this.limits.atOnce) return void this.waiting.push(dispatch);
    this.active += 1;
    setImmediate(dispatch);
  }

  private async run(items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    try {
      return await this.write(items);
    } finally {
      const next = this.waiting.shift();
      if (next) setImmediate(next);
      else this.active -= 1;
    }
  }
}
