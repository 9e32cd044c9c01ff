import { InvalidFields, type Encryption } from '@app/common';
import { type UrlRules, urlProblem } from '@app/egress';
import { rows, type Sql, type StoredWebhook } from '@app/database';
import { headerErrors, sealHeaders, type WebhookHeader } from './headers.js';

/** What is tried: a target that is given, or one of an agent's two webhooks. */
export type TestOrder =
  { url: string; method: string; headers: WebhookHeader[] } | { agentId: number; webhook: AgentWebhook };

export const AGENT_WEBHOOKS = ['call_status', 'post_call'] as const;
export type AgentWebhook = (typeof AGENT_WEBHOOKS)[number];

const OF_AGENT = {
  name: 'webhooks-of-agent',
  text: `SELECT call_status_webhook AS call_status, post_call_webhook AS post_call FROM agents WHERE account_id = $1 AND id = $2`,
};

/** Where a test goes. Throws InvalidFields when that may not be requested, or when the account's agent has no such webhook. */
export async function testTarget(
  sql: Sql,
  accountId: number,
  order: TestOrder,
  { rules, encryption }: { rules: UrlRules; encryption: Encryption },
): Promise<StoredWebhook> {
  if ('agentId' in order) return targetOfAgent(sql, accountId, order);
  const { url, method, headers } = order;
  const ofUrl = urlProblem(url, rules);
  const problems = [...(ofUrl ? [['url', ofUrl] as const] : []), ...headerErrors('headers', headers)];
  if (problems.length > 0) {
    throw new InvalidFields(Object.fromEntries(problems.map(([field, problem]) => [field, [problem]])));
  }
  const sealed = sealHeaders(encryption, headers);
  return { url, method, ...(sealed && { headers_sealed: sealed }) };
}

async function targetOfAgent(
  sql: Sql,
  accountId: number,
  { agentId, webhook }: Extract<TestOrder, { agentId: number }>,
): Promise<StoredWebhook> {
  const [agent] = await rows<Record<AgentWebhook, StoredWebhook | null>>(sql, OF_AGENT, [accountId, agentId]);
  if (!agent) throw new InvalidFields({ agent_id: ['The selected agent id is invalid.'] });
  const target = agent[webhook];
  if (!target)
    throw new InvalidFields({
      webhook: ['The agent has no such webhook. Give it one in the workspace file, or name a url.'],
    });
  return target;
}
