import { createLog, loadEnv } from '@app/common';
import { TextModeProvidersService, simulate, type SimulatedAgent } from '@app/simulation';
import { readScenario } from '@app/agents/scenarios';
import type { VoiceTool } from '@app/voice';
import { table } from './table.js';

const ROUNDS = 3;
const CONVERSATIONS = 300;
const AT_ONCE = [1, 16];
const BAR = 100;

/** Four turns of the user; in the second the agent calls a mocked tool. */
const scenario = readScenario({
  mocks: {
    search_knowledge_base: { result: { results: [{ title: 'Prices', text: 'Article 4711 costs three euros.' }] } },
  },
  steps: [
    { says: 'Good morning.', expects: 'Good morning' },
    { keys: '4711', expects: 'three euros', calls: 'search_knowledge_base' },
    { silence: 11, expects: 'still there' },
    { keys: '9', expects: 'Goodbye', ends: 'hangup' },
  ],
});

const search: VoiceTool = {
  name: 'search_knowledge_base',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  run: () => Promise.reject(new Error('It is mocked.')),
};

/** Conversations per second with the sandbox agent, one at a time and several at once, in one process. */
export async function run(): Promise<void> {
  const log = createLog({ level: 'error', role: 'bench' });
  const providers = new TextModeProvidersService(loadEnv({}));
  const { provider } = await providers.open([{ name: 'sandbox', options: {} }]);
  const settings = {
    agent: { name: 'Ada', instructions: 'Take orders for tea.', greeting: 'Hello, how can I help you?' },
  };
  const agent: SimulatedAgent = { provider, settings, tools: () => [], others: [search], mayTransfer: false };
  const play = async (): Promise<void> => {
    const { passed, steps, error } = await simulate(agent, scenario, log);
    if (!passed) throw new Error(`A conversation failed: ${error ?? JSON.stringify(steps)}`);
  };
  await playAll(play, 50, 8);
  const rows = [];
  for (const atOnce of AT_ONCE) rows.push(await measure(play, atOnce));
  console.log(
    `Text simulation, 4 turns and a mocked tool: median of ${ROUNDS} rounds of ${CONVERSATIONS} conversations`,
  );
  table(['at once', 'conversations/s', 'CPU ms each', 'bar'], rows);
  await providers.onApplicationShutdown();
}

async function measure(play: () => Promise<void>, atOnce: number): Promise<string[]> {
  const rates: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [startedAt, before] = [performance.now(), process.cpuUsage()];
    await playAll(play, CONVERSATIONS, atOnce);
    const { user, system } = process.cpuUsage(before);
    rates.push((CONVERSATIONS * 1_000) / (performance.now() - startedAt));
    cpu.push((user + system) / 1_000 / CONVERSATIONS);
  }
  const bar = atOnce === AT_ONCE.at(-1) ? `>= ${BAR}` : '';
  return [String(atOnce), median(rates).toFixed(0), median(cpu).toFixed(2), bar];
}

async function playAll(play: () => Promise<void>, count: number, atOnce: number): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left-- > 0) await play();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
