/** What a client received so far, and a way to wait for more. */
export class Collected<T> {
  readonly all: T[] = [];
  private waiting: { done: () => boolean; resolve: () => void }[] = [];

  push(one: T): void {
    this.all.push(one);
    const { waiting } = this;
    this.waiting = waiting.filter(({ done }) => !done());
    waiting.filter((waiter) => !this.waiting.includes(waiter)).forEach(({ resolve }) => resolve());
  }

  until(done: () => boolean): Promise<void> {
    return done() ? Promise.resolve() : new Promise((resolve) => this.waiting.push({ done, resolve }));
  }
}
