/** Sentences already spoken, the least recently used dropped when their samples exceed `maxBytes`. */
export class ClipCache {
  private readonly clips = new Map<string, Int16Array>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): Int16Array | undefined {
    const clip = this.clips.get(key);
    if (!clip) return undefined;
    // A Map keeps the order of insertion: putting it back makes it the youngest.
    this.clips.delete(key);
    this.clips.set(key, clip);
    return clip;
  }

  put(key: string, clip: Int16Array): void {
    if (this.clips.has(key) || clip.byteLength > this.maxBytes) return;
    this.clips.set(key, clip);
    this.bytes += clip.byteLength;
    for (const [oldest, dropped] of this.clips) {
      if (this.bytes <= this.maxBytes) break;
      this.clips.delete(oldest);
      this.bytes -= dropped.byteLength;
    }
  }
}
