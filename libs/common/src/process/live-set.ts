/**
 * A set of objects that come and go, such as calls. A `Set` moves to a new table after every few deletions, and V8 links the old table to the
 * new one: an old table that has reached the old generation is garbage that keeps all later tables with their objects, so that each scavenge
 * copies and promotes them, until the next full collection (docs/decisions/0062-live-sets.md).
 */
export class LiveSet<T extends object> {
  private readonly slots: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.slots.length - this.free.length;
  }

  /** @returns a function that removes the object; further calls do nothing. */
  add(object: T): () => void {
    const slot = this.free.pop() ?? this.slots.length;
    this.slots[slot] = object;
    let removed = false;
    return () => {
      if (removed) return;
      removed = true;
      this.slots[slot] = undefined;
      this.free.push(slot);
    };
  }

  values(): T[] {
    return this.slots.filter((object) => object !== undefined);
  }
}
