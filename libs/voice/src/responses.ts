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

  /** Forgets it; returns its items. */
  done(responseId: string): string[] {
    const items = [...(this.itemsOf.get(responseId) ?? [])];
    this.itemsOf.delete(responseId);
    this.dropped.delete(responseId);
    return items;
  }

  clear(): void {
    this.itemsOf.clear();
    this.dropped.clear();
  }
}
