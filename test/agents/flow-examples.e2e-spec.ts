import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { v7 as newId } from 'uuid';
import { parse, stringify } from 'yaml';
import { AGENTS, AgentsEnvironment } from '../support/agents-environment.js';
import { aToken } from '../support/factories.js';

interface Example {
  accounts: { name: string; agents: { name: string; scenarios?: { name: string; scenario: object }[] }[] }[];
}

/** The workspace files of the page, with the names of their accounts. */
const EXAMPLES = [...readFileSync('docs/flows.md', 'utf8').matchAll(/```yaml\n(accounts:[^`]*)```/g)].map(
  ([, yaml = '']): [string, Example] => {
    const file = parse(yaml) as Example;
    return [file.accounts[0]!.name, file];
  },
);

let environment: AgentsEnvironment;

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
});
afterAll(() => environment?.close());

it('the page has three examples', () => {
  expect(EXAMPLES.map(([name]) => name)).toEqual(['clinic', 'invoices', 'shop']);
});

it.each(EXAMPLES)('the example %s of the documentation is applied, and its scenarios pass', async (name, file) => {
  const [account] = file.accounts;
  const own = `${name}-${newId()}`;
  const applied = await environment.api.outcome(
    ['apply', '-f', '-'],
    {},
    stringify({ accounts: [{ ...account, name: own }] }),
  );
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  const { rows } = await environment.api.pool.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [own]);
  const api = environment.api.as(await aToken(environment.api.pool, rows[0]!.id));
  const agents = (await api.get(AGENTS)).body.data as { id: number; name: string }[];
  const played = account!.agents.flatMap(({ name: agent, scenarios = [] }) =>
    scenarios.map(({ scenario }) => ({ id: agents.find((one) => one.name === agent)!.id, scenario })),
  );
  expect(played.length).toBeGreaterThan(0);
  for (const { id, scenario } of played) {
    const { body } = await api.post(`${AGENTS}/${id}/simulations`).send(scenario);
    const failures = body.data.steps.flatMap((step: { failures: string[] }) => step.failures);
    expect([body.data.passed, failures, body.data.judge?.failures ?? []]).toEqual([true, [], []]);
  }
});
