/** The responses that are being generated: the items of each, and which of them nobody is to hear any more. */
export class Responses {
  private readonly itemsOf = new Map<string, Set<string>>();
  private readonly dropped = new Set<string>();

  start(responseId: string): void {
    this.itemsOf.set(responseId, new Set());
  }

  /** What still arrives of it is not played. */
  drop(responseId: string): void {
    this.dropped.add(responseId);
  }

  /** Returns whether there was one. */
  dropAll(): boolean {
    for (const responseId of this.itemsOf.keys()) this.dropped.add(responseId);
    return this.itemsOf.size > 0;
  }

  isDropped(responseId: string): boolean {
    return this.dropped.has(responseId);
  }

  add(responseId: string, itemId: string): void {
    this.itemsOf.get(responseId)?.add(itemId);
  }

  /** Forgets it; returns its items, if it was not dropped. */
  done(responseId: string): string[] {
    const items = [...(this.itemsOf.get(responseId) ?? [])];
    this.itemsOf.delete(responseId);
    return this.dropped.delete(responseId) ? [] : items;
  }

  isActive(responseId: string): boolean {
    return this.itemsOf.has(responseId);
  }

  /** Forgets all; returns the items of those that were not dropped. */
  clear(): string[] {
    const heard = [...this.itemsOf].filter(([responseId]) => !this.dropped.has(responseId));
    this.itemsOf.clear();
    this.dropped.clear();
    return heard.flatMap(([, items]) => [...items]);
  }
}
