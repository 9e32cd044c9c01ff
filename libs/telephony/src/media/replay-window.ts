/** RFC 3711 §3.3.2 asks for 64 at least. */
const WINDOW = 128;

/** Which indices of one stream have been taken. Nothing changes before `take`, which follows the check of the tag. */
export class ReplayWindow {
  highest: number | undefined;
  private readonly taken = new Float64Array(WINDOW).fill(-1);

  /** False for what has been taken and for what is too old to tell. */
  isNew(index: number): boolean {
    if (this.highest !== undefined && index <= this.highest - WINDOW) return false;
    return this.taken[index % WINDOW] !== index;
  }

  take(index: number): void {
    this.taken[index % WINDOW] = index;
    this.highest = Math.max(this.highest ?? 0, index);
  }
}
