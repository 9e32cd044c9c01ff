import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DemoAccount } from './demo-service.js';
import type { DemoWebhook } from './demo-receivers.js';
import { setTimeout as delay } from 'node:timers/promises';

export interface DemoResults {
  call: Record<string, unknown>;
  /** Undefined: the call has no recording, or its link did not work. */
  recording: Buffer | undefined;
}

/** Places a call through the public API. @returns its id */
export async function placeCall(
  baseUrl: string,
  account: DemoAccount,
  { agentId, destination }: { agentId: number; destination: string },
): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/calls`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${account.token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({
      to_number: destination,
      agent_id: agentId,
      number_id: account.numberId,
      trunk_id: account.trunkId,
      metadata: { customer: 'Ada' },
    }),
  });
  const body = (await response.json()) as { data?: { call_id: string } };
  if (response.status !== 201 || !body.data)
    throw new Error(`POST /calls answered ${response.status}: ${JSON.stringify(body)}`);
  return body.data.call_id;
}

export async function fetchResults(baseUrl: string, token: string, callId: string): Promise<DemoResults> {
  const response = await fetch(`${baseUrl}/api/v1/calls/${callId}`, { headers: { authorization: `Bearer ${token}` } });
  const { data: call } = (await response.json()) as { data: Record<string, unknown> };
  return { call, recording: await download(call.recording_url) };
}

async function download(url: unknown): Promise<Buffer | undefined> {
  if (typeof url !== 'string') return undefined;
  const response = await fetch(url);
  return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
}

export async function writeOutput(
  folder: string,
  output: DemoResults & { timeline: string[]; webhooks: DemoWebhook[] },
): Promise<void> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  await writeFile(join(folder, 'timeline.txt'), `${output.timeline.join('\n')}\n`);
  await writeFile(join(folder, 'call.json'), json(output.call));
  await writeFile(join(folder, 'webhooks.json'), json(output.webhooks.map(({ headers, body }) => ({ headers, body }))));
  if (output.recording) await writeFile(join(folder, 'recording.wav'), output.recording);
}

/** The article number that the demo's phone enters, and the answer in the price list. */
export const ARTICLE = '4711';
export const ANSWER = `Article ${ARTICLE} is Earl Grey tea and costs three euros.`;
export const PRICE_LIST = 'price-list.csv';

const PROCESSING_MS = 60_000;
const POLL_MS = 200;

/** Writes a file in which one of 201 rows contains the answer. */
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

/** Uploads a file as a knowledge base and waits until it is processed. @returns the processed knowledge base */
export async function learn(baseUrl: string, account: DemoAccount, path: string): Promise<Record<string, unknown>> {
  const form = new FormData();
  form.set('title', 'Price list');
  form.set('source_type', 'file');
  form.set('file', new Blob([await readFile(path)]), basename(path));
  const isProcessed = ({ status }: Record<string, unknown>) => status === 'completed' || status === 'failed';
  return added({ baseUrl, account, agentId: account.agentId }, form, isProcessed);
}

/** What a caller asks, and the text that answers it without a word of the question. */
export const QUESTION = 'How do I get my money back?';
export const REFUNDS = 'Refunds are paid to the original card within thirty days.';

const POLICIES = {
  Deliveries: 'Parcels leave our house each morning and arrive after two working days.',
  Returns: REFUNDS,
  'Opening times': 'Our shop on the market square is open from nine to six, and closed on Sundays.',
  Vouchers: 'Vouchers are valid for three years and can be used for every tea.',
};

/** Adds texts to the knowledge of an agent and waits until they are found by meaning. @returns the number of those that are */
export async function teach(baseUrl: string, account: DemoAccount): Promise<number> {
  const place = { baseUrl, account, agentId: account.policyAgentId };
  const texts = Object.entries(POLICIES).map(([title, content]) => {
    const form = new FormData();
    form.set('title', title);
    form.set('source_type', 'text');
    form.set('content', content);
    return added(place, form, hasVectors);
  });
  return (await Promise.all(texts)).filter(hasVectors).length;
}

function hasVectors({ vectors }: Record<string, unknown>): boolean {
  const { done, of } = (vectors ?? { done: 0, of: 0 }) as { done: number; of: number };
  return of > 0 && done === of;
}

interface KnowledgePlace {
  baseUrl: string;
  account: DemoAccount;
  agentId: number;
}

async function added(
  { baseUrl, account, agentId }: KnowledgePlace,
  form: FormData,
  isReady: (knowledge: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  const url = `${baseUrl}/api/v1/agents/${agentId}/knowledge-bases`;
  const created = await knowledgeBase(await request(url, account, { method: 'POST', body: form }));
  for (const late = AbortSignal.timeout(PROCESSING_MS); ; await delay(POLL_MS)) {
    const found = await knowledgeBase(await request(`${url}/${String(created.id)}`, account));
    if (isReady(found) || late.aborted) return found;
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

export const TOOL = 'order_tea';
/** The key by which the user orders. */
export const ORDER_KEY = '2';
/** The key by which the user asks the sandbox agent for a colleague. */
export const TRANSFER_KEY = '8';

/** The demo agent's rules in addition to the built-in behaviour of the sandbox agent. */
export const SCRIPT = {
  rules: [
    { on: { speech: 1 }, say: 'With pleasure. Press two to order, or eight to talk to a colleague.' },
    { on: { digits: ORDER_KEY }, call: orderOf(ARTICLE, 2) },
    {
      on: { tool: TOOL, failed: false },
      say: 'Your order has the number {{result.shop.order_number}} and is ready in {{result.shop.ready_in_minutes}} minutes.',
    },
  ],
};

function orderOf(article: string, quantity: number) {
  return { tool: TOOL, arguments: { article, quantity } };
}

/** The agent that answers from POLICIES asks for its caller, because the sandbox agent does not understand words. */
export const POLICY_SCRIPT = { rules: [{ on: { speech: 1 }, search: QUESTION }] };

export const DESK_NAME = 'Demo repairs';

/** The first step asks for a department, the second hands over to its desk. */
export const FLOW = {
  start: 'ask',
  steps: [
    {
      name: 'ask',
      instructions: 'Find out which department the user needs.',
      collect: { type: 'object', properties: { department: { type: 'string' } }, required: ['department'] },
      exits: [{ to: 'desk', if: `vars.department == "repairs"` }],
    },
    { name: 'desk', handoff: { agent: DESK_NAME, context: 'full' } },
  ],
};
export const FLOW_SCRIPT = {
  rules: [{ on: { digits: '1' }, call: { tool: 'continue_flow', arguments: { department: 'repairs' } } }],
};
export const DESK_SCRIPT = {
  rules: [
    { on: 'entered', say: 'This is the repair desk. Press nine to end this call.' },
    { on: { digits: '9' }, say: 'Goodbye.', hang_up: true },
  ],
};

/** Creates a tool with a schema and a webhook whose response the agent waits for. @returns its id */
export async function createTool(baseUrl: string, account: DemoAccount, shopUrl: string): Promise<number> {
  const response = await fetch(`${baseUrl}/api/v1/agents/${account.agentId}/tools`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: TOOL,
      description: 'Orders tea. Use it when the caller has chosen an article and says how many.',
      parameters: {
        type: 'object',
        properties: {
          article: { type: 'string', pattern: '^[0-9]{4}$', description: 'Number of the article.' },
          quantity: { type: 'integer', minimum: 1, maximum: 10, description: 'How many.' },
        },
        required: ['article', 'quantity'],
      },
      webhook_actions: [
        {
          name: 'shop',
          url: `${shopUrl}/orders/{{args.article}}`,
          payload: { quantity: '{{args.quantity}}', call: '{{call.id}}', note: 'for {{metadata.customer}}' },
          headers: { 'X-Api-Key': { value: 'only-the-shop-knows', secret: true } },
        },
      ],
    }),
  });
  const body = (await response.json()) as { data?: { id: number } };
  if (response.status !== 201 || !body.data)
    throw new Error(`The API answered ${response.status} to a tool: ${JSON.stringify(body)}`);
  return body.data.id;
}
