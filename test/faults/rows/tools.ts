import { apiOf, type ApiClient } from '../../support/api-client.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';
import { IN_FLIGHT } from './workers.js';

const INVOCATIONS = 40;

/** Queues background actions of tools and kills the worker that sends them. */
const killed = ({ times }: Scale): Promise<Findings> =>
  FaultEnvironment.with({ apis: 1, workers: 2 }, async (environment) => {
    const account = await environment.customer();
    const api = apiOf(environment.stack, account);
    const tool = await api.createTool({
      name: 'note_it',
      description: 'Notes it.',
      webhook_actions: [{ name: 'note', url: environment.sink.url(1), method: 'POST', wait_response: false }],
    });
    let queued = 0;
    for (let n = 0; n < times; n++) {
      for (let i = 0; i < INVOCATIONS; i++) queued += await invoke(api, tool);
      await environment.sink.until(() => environment.sink.arrivals.length > n * INVOCATIONS, 60_000);
      const victim = environment.oldest('worker');
      await environment.stack.kill(victim);
      await environment.stack.add('worker');
    }
    const found = await environment.findings();
    return { ...found, lost: found.lost + Math.max(0, queued - found.events) };
  });

/** @returns 1 if the action was queued */
async function invoke(api: ApiClient, path: { agent_id: number; id: number }): Promise<number> {
  const asked = { params: { path }, body: { arguments: {} } };
  const { response } = await api.POST('/api/v1/agents/{agent_id}/tools/{id}/invoke', asked);
  return response.ok ? 1 : 0;
}

export const TOOLS: Row[] = [
  {
    name: 'worker-killed-tool',
    fault: 'kill -9 a worker with queued tool actions',
    times: 2,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: killed,
  },
];
