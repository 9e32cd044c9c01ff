import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DemoAccount } from './demo-service.js';

/** What the phone of the demo types, and the price list answers. */
export const ARTICLE = '4711';
export const ANSWER = `Article ${ARTICLE} is Earl Grey tea and costs three euros.`;
export const PRICE_LIST = 'price-list.csv';

const READING_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** A file with a row that answers, among others that do not. */
export async function writePriceList(folder: string): Promise<string> {
  const others = Array.from(
    { length: 200 },
    (_, i) => `${1_000 + i},Tea number ${i + 1},Article ${1_000 + i} costs two euros.`,
  );
  const path = join(folder, PRICE_LIST);
  const rows = ['Article,Name,Price', ...others.slice(0, 120), `${ARTICLE},Earl Grey,${ANSWER}`, ...others.slice(120)];
  await writeFile(path, `${rows.join('\n')}\n`);
  return path;
}

/** Uploads a file as a knowledge base and waits until it has been read; gives it as it is then. */
export async function learn(baseUrl: string, account: DemoAccount, path: string): Promise<Record<string, unknown>> {
  const url = `${baseUrl}/api/v1/agents/${account.agentId}/knowledge-bases`;
  const form = new FormData();
  form.set('title', 'Price list');
  form.set('source_type', 'file');
  form.set('file', new Blob([await readFile(path)]), basename(path));
  const created = await knowledgeBase(await request(url, account, { method: 'POST', body: form }));
  for (const late = AbortSignal.timeout(READING_MS); ; await delay(LOOK_EVERY_MS)) {
    const found = await knowledgeBase(await request(`${url}/${String(created.id)}`, account));
    if (found.status === 'completed' || found.status === 'failed' || late.aborted) return found;
  }
}

const request = (url: string, account: DemoAccount, options: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...options, headers: { authorization: `Bearer ${account.token}`, accept: 'application/json' } });

async function knowledgeBase(response: Response): Promise<Record<string, unknown>> {
  const body = (await response.json()) as { data?: Record<string, unknown> };
  if (!response.ok || !body.data)
    throw new Error(`The API answered ${response.status} to a knowledge base: ${JSON.stringify(body)}`);
  return body.data;
}
