interface Entry<T> {
  version: bigint;
  bytes: number;
  value: T;
}

/** Values by key with their size; those not used for longest go when there is no room. */
export class AgentCache<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private used = 0;

  constructor(private readonly capacity: number) {}

  get bytes(): number {
    return this.used;
  }

  get(key: string): Entry<T> | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry;
  }

  put(key: string, entry: Entry<T>): void {
    this.remove(key);
    for (const oldest of this.entries.keys()) {
      if (this.used + entry.bytes <= this.capacity) break;
      this.remove(oldest);
    }
    if (entry.bytes > this.capacity) return;
    this.entries.set(key, entry);
    this.used += entry.bytes;
  }

  remove(key: string): void {
    this.used -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}
