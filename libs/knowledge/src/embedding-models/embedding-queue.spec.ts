import { describe, expect, it } from '@jest/globals';
import { createDeferred } from '@app/common';
import type { TextKind } from '../embed/wire-formats.js';
import { EmbeddingQueue, QueueFull } from './embedding-queue.js';

const { signal } = new AbortController();

/** A model that writes down its texts, and waits for `go` in each. */
class StepwiseModel {
  readonly texts: string[] = [];
  private step = createDeferred();
  private started = createDeferred();

  async embed(text: string, kind: TextKind): Promise<Float32Array> {
    this.texts.push(text);
    this.started.resolve();
    await this.step.promise;
    if (text === 'bad') throw new RangeError('no tokens');
    return Float32Array.from([text.length, kind === 'query' ? 1 : 0]);
  }

  /** Resolves when the next text has begun. */
  async next(): Promise<void> {
    const ending = this.step;
    this.started = createDeferred();
    this.step = createDeferred();
    ending.resolve();
    await this.started.promise;
  }

  /** The current text, and all that follow, take no time. */
  finish(): void {
    this.step.resolve();
  }
}

describe('the queue of the embedder', () => {
  it('answers a question after one passage at most, however long the batches are', async () => {
    const model = new StepwiseModel();
    const queue = new EmbeddingQueue(model);
    const passages = queue.vectors(['one', 'two', 'three'], 'passage', signal);
    const question = queue.vectors(['question'], 'query', signal);
    const further = queue.vectors(['four'], 'passage', signal);
    await model.next();
    model.finish();
    expect(await question).toEqual([Float32Array.from([8, 1])]);
    expect(await passages).toHaveLength(3);
    expect(await further).toEqual([Float32Array.from([4, 0])]);
    expect(model.texts).toEqual(['one', 'question', 'two', 'three', 'four']);
  });

  it('refuses texts beyond its limit, each kind on its own, and says when to try again', async () => {
    const model = new StepwiseModel();
    const queue = new EmbeddingQueue(model, { query: 1, passage: 2 });
    const passages = queue.vectors(['one', 'two'], 'passage', signal);
    expect(() => queue.vectors(['three'], 'passage', signal)).toThrow(QueueFull);
    expect(() => queue.vectors(['three'], 'passage', signal)).toThrow('Try again in 1 s.');
    const question = queue.vectors(['question'], 'query', signal);
    expect(() => queue.vectors(['another'], 'query', signal)).toThrow(QueueFull);
    model.finish();
    await Promise.all([passages, question]);
    expect(await queue.vectors(['three'], 'passage', signal)).toHaveLength(1);
  });

  it('drops the rest of a request whose client has gone, and its places', async () => {
    const model = new StepwiseModel();
    const queue = new EmbeddingQueue(model, { query: 1, passage: 3 });
    const stop = new AbortController();
    const dropped = queue.vectors(['one', 'two', 'three'], 'passage', stop.signal);
    stop.abort(new Error('gone'));
    await expect(dropped).rejects.toThrow('gone');
    const kept = queue.vectors(['four', 'five', 'six'], 'passage', signal);
    model.finish();
    expect(await kept).toHaveLength(3);
    expect(model.texts).toEqual(['one', 'four', 'five', 'six']);
  });

  it('reports a text that the model rejects, and goes on with the next request', async () => {
    const model = new StepwiseModel();
    const queue = new EmbeddingQueue(model);
    model.finish();
    const bad = queue.vectors(['good', 'bad', 'unused'], 'passage', signal);
    const next = queue.vectors(['next'], 'passage', signal);
    await expect(bad).rejects.toMatchObject({ status: 422, cause: { message: 'no tokens' } });
    expect(await next).toHaveLength(1);
  });

  it('ends all requests when the process ends', async () => {
    const model = new StepwiseModel();
    const queue = new EmbeddingQueue(model);
    const waiting = queue.vectors(['one', 'two'], 'passage', signal);
    const closed = queue.close(new Error('the process ends'));
    model.finish();
    await expect(waiting).rejects.toThrow('the process ends');
    await closed;
    expect(model.texts).toEqual(['one']);
  });
});
