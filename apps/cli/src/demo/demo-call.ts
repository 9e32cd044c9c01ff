import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoAccount } from './demo-service.js';
import type { DemoWebhook } from './demo-webhook-receiver.js';

export interface DemoResults {
  call: Record<string, unknown>;
  /** Undefined: the call has no recording, or its link did not work. */
  recording: Buffer | undefined;
}

/** One call through the public API; gives its id. */
export async function placeCall(baseUrl: string, account: DemoAccount, destination: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/calls`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${account.token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({
      to_number: destination,
      agent_id: account.agentId,
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
