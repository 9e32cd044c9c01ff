import { Pool } from 'undici';

/** What one round asks for. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  token: string;
  body?: string;
}

const CONNECTIONS = 32;

/** Keeps CONNECTIONS requests going for this long; gives answers per second. Throws at the first answer that is no success. */
export async function load(port: number, next: () => LoadRequest, ms: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
  const start = performance.now();
  let answers = 0;
  const line = async (): Promise<void> => {
    while (performance.now() - start < ms) {
      await ask(pool, next());
      answers += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, line));
    return (answers * 1_000) / (performance.now() - start);
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

/** One answer as JSON. */
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
