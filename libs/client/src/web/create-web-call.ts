import { WebFailure } from './failures.js';
import type { WebCallErrorCode } from './sentences.js';

/** A call that the page creates itself, with a publishable key that its origin may use. */
export interface PublishableCall {
  /** A publishable key, `pk_…`. */
  key: string;
  agentId: number;
  /** Where the service is: `https://calls.example.com`. */
  baseUrl: string;
  /** Values of the agent's variables, of those that the key allows. */
  variables?: Record<string, string>;
}

/** The service did not create the call. */
export class CallRefused extends WebFailure {
  override readonly name = 'CallRefused';
}

interface Body {
  message?: string;
  data?: { url: string; token: string };
  errors?: { agent_id?: unknown };
}

/** @throws CallRefused */
export async function createWebCall(
  { key, agentId, baseUrl, variables }: PublishableCall,
  signal: AbortSignal | undefined,
): Promise<{ url: string; token: string }> {
  const response = await request(`${baseUrl.replace(/\/+$/, '')}/api/v1/web-calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agentId, ...(variables && { variables }) }),
    credentials: 'omit',
    ...(signal && { signal }),
  });
  const body = (await response.json().catch(() => ({}))) as Body;
  if (response.ok && body.data) return body.data;
  throw new CallRefused(codeOf(response.status, body), body.message);
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    // No network, or an origin that the service does not answer.
    throw new CallRefused('unavailable', error);
  }
}

function codeOf(status: number, { errors }: Body): WebCallErrorCode {
  if (status === 401 || status === 403) return 'not_allowed';
  // Variables that the key does not allow are a mistake of the page.
  if (status === 422 && errors && !errors.agent_id) return 'failed';
  if (status === 404 || status === 409 || status === 422) return 'agent_not_configured';
  return status === 429 ? 'limit_reached' : 'unavailable';
}
