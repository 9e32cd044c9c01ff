import type { CallWatcher } from '@app/calls';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { EventEmitter } from 'node:events';
import { EventStream } from './call-streams.service.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A connection that is full when a test says so. */
class Connection extends EventEmitter {
  written: string[] = [];
  isFull = false;
  destroyed = false;
  ended = false;

  writeHead(): void {}

  write(text: string): boolean {
    this.written.push(text);
    return !this.isFull;
  }

  end(): void {
    this.ended = true;
    this.emit('close');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function watching() {
  const connection = new Connection();
  const calls: string[] = [];
  const stream = new EventStream(1, 'call', 0, connection as unknown as Response);
  const follow = (_watcher: CallWatcher) => ({
    resume: () => void calls.push('resume'),
    stop: () => void calls.push('stop'),
  });
  stream.follow({ watch: follow });
  return { connection, stream, calls };
}

const event = { seq: 1, type: 'hold' as const, at: '2026-01-02T03:04:05.000+00:00', data: { at_ms: 1 } };

it('a stream whose connection is full is paused until it has drained', () => {
  const { connection, stream, calls } = watching();
  connection.isFull = true;
  expect(stream.take(event)).toBe(false);
  const written = connection.written.length;
  jest.advanceTimersByTime(20_000);
  expect(connection.written).toHaveLength(written);
  connection.emit('drain');
  expect(calls).toEqual(['resume']);
  jest.advanceTimersByTime(60_000);
  expect(connection.destroyed).toBe(false);
});

it('a stream whose connection stays full for 30 s is closed, and its watching ends', () => {
  const { connection, stream, calls } = watching();
  connection.isFull = true;
  stream.take(event);
  jest.advanceTimersByTime(29_999);
  expect(connection.destroyed).toBe(false);
  jest.advanceTimersByTime(1);
  expect([connection.destroyed, calls]).toEqual([true, ['stop']]);
  expect(jest.getTimerCount()).toBe(0);
});

it('a stream sends a comment every 15 s and leaves no timer behind', () => {
  const { connection, stream } = watching();
  jest.advanceTimersByTime(30_000);
  expect(connection.written.filter((text) => text.startsWith(':'))).toHaveLength(2);
  stream.end();
  expect([connection.ended, jest.getTimerCount()]).toEqual([true, 0]);
});
