import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

/** The requests of one round. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  token: string;
  body?: string;
}

const CONNECTIONS = 32;

/** Keeps CONNECTIONS requests in flight for `ms`. @returns responses per second. Throws at the first unsuccessful response. */
export async function load(port: number, next: () => LoadRequest, ms: number): Promise<number> {
  const { times, seconds } = await answerTimes(port, next, ms);
  return times.length / seconds;
}

/** Like `load`. @returns the latency of each response in ms, and the total seconds */
export async function answerTimes(
  port: number,
  next: () => LoadRequest,
  ms: number,
): Promise<{ times: number[]; seconds: number }> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const start = performance.now();
  const times: number[] = [];
  const line = async (): Promise<void> => {
    for (let asked = performance.now(); asked - start < ms; asked = performance.now()) {
      await ask(pool, next());
      times.push(performance.now() - asked);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, line));
    return { times, seconds: (performance.now() - start) / 1_000 };
  } finally {
    await pool.close();
  }
}

/** Starts `perSecond` requests a second at fixed times. @returns the ms from the due time of each request to its response, sorted */
export async function pacedTimes(
  port: number,
  next: () => LoadRequest,
  { perSecond, ms }: { perSecond: number; ms: number },
): Promise<number[]> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const start = performance.now();
  const answers: Promise<number>[] = [];
  try {
    for (let due = start; due < start + ms; due += 1_000 / perSecond) {
      await delay(Math.max(0, due - performance.now()));
      const dueAt = due;
      answers.push(ask(pool, next()).then(() => performance.now() - dueAt));
    }
    return (await Promise.all(answers)).toSorted((a, b) => a - b);
  } finally {
    await pool.close();
  }
}

async function ask(pool: Pool, { method, path, token, body }: LoadRequest): Promise<void> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const answer = await pool.request({ method, path, headers, body });
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`);
  await answer.body.dump();
}

/** One response as JSON. */
export async function answerOf(port: number, request: LoadRequest): Promise<unknown> {
  const { method, path, token, body } = request;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
