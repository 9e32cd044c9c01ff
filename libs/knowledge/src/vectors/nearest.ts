/** The best `limit` rows seen so far, best first. Limits are small (tens): insertion is faster than a heap there. */
export class Nearest {
  readonly rows: number[] = [];
  readonly similarities: number[] = [];

  constructor(private readonly limit: number) {}

  /** What is not better than this need not be added. */
  get worst(): number {
    return this.rows.length < this.limit
      ? Number.NEGATIVE_INFINITY
      : (this.similarities.at(-1) ?? Number.POSITIVE_INFINITY);
  }

  add(row: number, similarity: number): void {
    let place = this.rows.length;
    while (place > 0 && this.similarities[place - 1]! < similarity) place--;
    this.rows.splice(place, 0, row);
    this.similarities.splice(place, 0, similarity);
    if (this.rows.length <= this.limit) return;
    this.rows.pop();
    this.similarities.pop();
  }
}
