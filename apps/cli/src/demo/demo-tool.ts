import type { DemoAccount } from './demo-service.js';
import { ARTICLE } from './demo-knowledge.js';

export const TOOL = 'order_tea';
/** What the caller types to order. */
export const ORDER_KEY = '2';
/** The sandbox agent takes this for the wish to talk to a colleague. */
export const TRANSFER_KEY = '8';

/** What the agent of the demo does beside what the sandbox agent does by itself. */
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

/** A tool with a schema and a webhook that is waited for; gives its id. */
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
