import { apiOf, type ApiClient } from '../../support/api-client.js';
import { Ground } from '../ground.js';
import type { Findings, Row, Scale } from '../row.js';
import { IN_FLIGHT } from './workers.js';

const INVOCATIONS = 40;

/** Tools are used whose actions nobody waits for; the worker that sends them dies. */
const killed = ({ times, short }: Scale): Promise<Findings> =>
  Ground.with({ apis: 1, workers: 2 }, async (ground) => {
    const account = await ground.customer();
    const api = apiOf(ground.stack, account);
    const tool = await api.createTool({
      name: 'note_it',
      description: 'Notes it.',
      webhook_actions: [{ name: 'note', url: ground.sink.url(1), method: 'POST', wait_response: false }],
    });
    let queued = 0;
    for (let n = 0; n < times; n++) {
      for (let i = 0; i < INVOCATIONS; i++) queued += await invoke(api, tool);
      await ground.sink.until(() => ground.sink.arrivals.length > n * INVOCATIONS, 60_000);
      const victim = ground.oldest('worker');
      await ground.stack.kill(victim);
      if (short) await ground.endLeases(victim);
      await ground.stack.add('worker');
    }
    const found = await ground.findings();
    return { ...found, lost: found.lost + Math.max(0, queued - found.events) };
  });

/** @returns 1 when it was queued. */
async function invoke(api: ApiClient, path: { agent_id: number; id: number }): Promise<number> {
  const asked = { params: { path }, body: { arguments: {} } };
  const { response } = await api.POST('/api/v1/agents/{agent_id}/tools/{id}/invoke', asked);
  return response.ok ? 1 : 0;
}

export const TOOLS: Row[] = [
  {
    name: 'worker-killed-tool',
    fault: 'kill -9 a worker with actions of tools queued',
    times: 3,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: killed,
  },
];
