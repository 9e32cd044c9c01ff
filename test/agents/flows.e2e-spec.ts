import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as newId } from 'uuid';
import { parse } from 'yaml';
import { AGENTS, AgentsEnvironment } from '../support/agents-environment.js';
import { aToken } from '../support/factories.js';

let environment: AgentsEnvironment;
let send: AgentsEnvironment['send'];
let created: AgentsEnvironment['created'];
let read: AgentsEnvironment['read'];

beforeAll(async () => {
  environment = await AgentsEnvironment.open();
  ({ send, created, read } = environment);
});
afterAll(() => environment?.close());

const COLLECT = {
  type: 'object',
  properties: { name: { type: 'string' }, reason: { type: 'string', enum: ['book', 'cancel'] } },
  required: ['name', 'reason'],
};

const clinic = (handoff: number | string, more: object = {}) => ({
  start: 'identify',
  steps: [
    {
      name: 'identify',
      instructions: 'Find out who is calling.',
      collect: COLLECT,
      exits: [
        { to: 'book', if: 'vars.reason == "book"' },
        { to: 'cancel', when: 'The caller wants to cancel.' },
      ],
      max_turns: 8,
      on_limit: 'cancel',
    },
    { name: 'book', instructions: 'Help {{name}}.', ...more },
    { name: 'cancel', handoff: { agent: handoff, context: 'summary' } },
  ],
});

const aTool = async (agentId: number, name: string): Promise<number> => {
  const answer = await send('post', `${AGENTS}/${agentId}/tools`, {
    name,
    description: 'Books a time.',
    actions: [{ name: 'book', url: 'https://example.com/book', method: 'POST' }],
  });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return answer.body.data.id as number;
};

/** Each with the paths of its problems. */
const BAD_FLOWS: [what: string, flow: object, paths: string[]][] = [
  ['no steps', { start: 'a', steps: [] }, ['flow.steps']],
  [
    'too many steps',
    { start: 's0', steps: Array.from({ length: 51 }, (_, at) => ({ name: `s${at}` })) },
    ['flow.steps'],
  ],
  ['an unknown first step', { start: 'b', steps: [{ name: 'a' }] }, ['flow.start']],
  ['a wrong name', { start: 'a', steps: [{ name: 'a' }, { name: 'B C' }] }, ['flow.steps.1.name']],
  [
    'an exit with two conditions',
    { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b', if: 'true', when: 'Yes.' }] }, { name: 'b' }] },
    ['flow.steps.0.exits.0'],
  ],
  [
    'an exit without a condition',
    { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b' }] }, { name: 'b' }] },
    ['flow.steps.0.exits.0'],
  ],
  ['two actions', { start: 'a', steps: [{ name: 'a', action: { end: true, say: 'Bye.' } }] }, ['flow.steps.0.action']],
  [
    'a broken expression',
    { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b', if: 'vars.x ==' }] }, { name: 'b' }] },
    ['flow.steps.0.exits.0.if'],
  ],
  [
    'an unknown value',
    { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b', if: 'vars.x == 1' }] }, { name: 'b' }] },
    ['flow.steps.0.exits.0.if'],
  ],
  ['an island', { start: 'a', steps: [{ name: 'a' }, { name: 'b' }] }, ['flow.steps.1']],
  [
    'a wrong schema',
    { start: 'a', steps: [{ name: 'a', collect: { type: 'array' } }] },
    ['flow.steps.0.collect.properties', 'flow.steps.0.collect.type'],
  ],
  [
    'a placeholder that nothing fills in',
    { start: 'a', steps: [{ name: 'a', instructions: 'Help {{nobody}}.' }] },
    ['flow.steps.0.instructions'],
  ],
  [
    'a transfer without a destination',
    { start: 'a', steps: [{ name: 'a', action: { transfer: 'boss' } }] },
    ['flow.steps.0.action.transfer'],
  ],
  [
    'an agent that does not exist',
    { start: 'a', steps: [{ name: 'a', handoff: { agent: 2_000_000_000 } }] },
    ['flow.steps.0.handoff.agent'],
  ],
  ['a wrong number of turns', { start: 'a', steps: [{ name: 'a', max_turns: 0 }] }, ['flow.steps.0.max_turns']],
  ['the same name twice', { start: 'a', steps: [{ name: 'a' }, { name: 'a' }] }, ['flow.steps.1.name']],
  [
    'steps that only lead to each other',
    {
      start: 'a',
      steps: [
        { name: 'a', exits: [{ to: 'b', when: 'Always.' }] },
        { name: 'b', exits: [{ to: 'a', when: 'Always.' }] },
      ],
    },
    ['flow.steps.0', 'flow.steps.1'],
  ],
  ['a limit that leads nowhere', { start: 'a', steps: [{ name: 'a', max_turns: 3 }] }, ['flow.steps.0.on_limit']],
  [
    'exits of a step that ends',
    { start: 'a', steps: [{ name: 'a', action: { end: true }, exits: [{ to: 'b', when: 'Yes.' }] }, { name: 'b' }] },
    ['flow.steps.0.exits'],
  ],
  [
    'words before an unknown step',
    { start: 'a', steps: [{ name: 'a', action: { say: 'Hi.', then: 'b' } }] },
    ['flow.steps.0.action.then'],
  ],
  [
    'a function that may take long',
    { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b', if: "'x'.matches('(a+)+')" }] }, { name: 'b' }] },
    ['flow.steps.0.exits.0.if'],
  ],
  [
    'a condition that is a number',
    { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b', if: 'turns + 1' }] }, { name: 'b' }] },
    ['flow.steps.0.exits.0.if'],
  ],
  [
    'a choice that is none',
    {
      start: 'a',
      steps: [{ name: 'a', collect: COLLECT, exits: [{ to: 'b', if: 'vars.reason == "bok"' }] }, { name: 'b' }],
    },
    ['flow.steps.0.exits.0.if'],
  ],
  [
    'a required value that is not collected',
    {
      start: 'a',
      steps: [{ name: 'a', collect: { type: 'object', properties: { day: { type: 'string' } }, required: ['night'] } }],
    },
    ['flow.steps.0.collect.required.0'],
  ],
];

/** Those of BAD_FLOWS whose fields have wrong types or are missing: a file is refused for all of them together. */
const WRONG_FORM = [
  'no steps',
  'too many steps',
  'a wrong name',
  'an exit with two conditions',
  'an exit without a condition',
  'two actions',
  'a wrong number of turns',
];
const LINE = { start: 'a', steps: [{ name: 'a' }] };

describe('the flow of an agent', () => {
  it('is a setting of its versions, which drafts change and a restore brings back', async () => {
    const other = await created();
    const flow = clinic(other);
    const handoffs = [{ agent: other, when: 'Everything else.', context: 'full' }];
    const id = await created({ flow });
    expect(await read(id)).toMatchObject({ flow, handoffs: [] });
    expect((await send('patch', `${AGENTS}/${id}`, { flow: null, handoffs })).body.data).toMatchObject({
      flow: null,
      handoffs,
      version: 2,
    });
    expect((await send('get', `${AGENTS}/${id}/versions/1`)).body.data.settings).toMatchObject({ flow, handoffs: [] });
    const draft = await send('post', `${AGENTS}/${id}/versions`, {
      flow: clinic(other, { max_turns: 3, on_limit: 'cancel' }),
    });
    expect([draft.status, draft.body.data.settings.flow.steps[1].max_turns]).toEqual([201, 3]);
    const restored = await send('post', `${AGENTS}/${id}/versions/1/restore`, {});
    expect([restored.status, restored.body.data.settings]).toMatchObject([200, { flow, handoffs: [] }]);
    const published = await send('post', `${AGENTS}/${id}/versions/3/publish`, {});
    expect(published.status).toBe(200);
    expect((await read(id)).flow.steps[1].max_turns).toBe(3);
  });

  it('of a version that an earlier release stored is none, whatever the current one has', async () => {
    const id = await created();
    await send('patch', `${AGENTS}/${id}`, { flow: { start: 'talk', steps: [{ name: 'talk' }] } });
    await environment.api.pool.query(
      `UPDATE agent_versions SET settings = settings - '{flow,handoffs}'::text[] WHERE agent_id = $1 AND version = 1`,
      [id],
    );
    expect((await send('get', `${AGENTS}/${id}/versions/1`)).body.data.settings.flow).toBeNull();
    await send('post', `${AGENTS}/${id}/versions/1/restore`, {});
    expect((await read(id)).flow).toBeNull();
  });

  it.each(BAD_FLOWS)('with %s is refused with its path, as a setting and as a draft', async (_, flow, fields) => {
    const id = await created();
    for (const answer of [
      await send('post', AGENTS, { name: environment.aName(), flow }),
      await send('patch', `${AGENTS}/${id}`, { flow }),
      await send('post', `${AGENTS}/${id}/versions`, { flow }),
    ])
      expect([answer.status, Object.keys(answer.body.errors ?? {}).toSorted()]).toEqual([422, fields]);
    expect(await read(id)).toMatchObject({ flow: null, version: 1 });
  });

  it('may name tools of the agent only, and a warning says which of them was deleted since', async () => {
    const id = await created();
    const flow = { start: 'a', steps: [{ name: 'a', tools: ['book_time'], knowledge_base_ids: [2_000_000_000] }] };
    const refused = await send('patch', `${AGENTS}/${id}`, { flow });
    expect(Object.keys(refused.body.errors)).toEqual(['flow.steps.0.tools.0', 'flow.steps.0.knowledge_base_ids.0']);
    const tool = await aTool(id, 'book_time');
    const own = { start: 'a', steps: [{ name: 'a', tools: ['book_time'] }] };
    const saved = await send('patch', `${AGENTS}/${id}`, { flow: own });
    expect([saved.status, saved.body.warnings]).toEqual([200, undefined]);
    await send('delete', `${AGENTS}/${id}/tools/${tool}`);
    expect((await send('get', `${AGENTS}/${id}`)).body.warnings).toEqual([
      {
        code: 'flow_reference_missing',
        field: 'flow.steps.0.tools.0',
        message: 'The flow.steps.0.tools.0 field is not a tool of the agent: "book_time".',
      },
    ]);
  });

  it('is checked again when the agent loses what it refers to', async () => {
    const flow = { start: 'a', steps: [{ name: 'a', exits: [{ to: 'b', if: 'vars.plan == "gold"' }] }, { name: 'b' }] };
    const id = await created({ flow, variables: [{ name: 'plan' }] });
    const answer = await send('patch', `${AGENTS}/${id}`, { variables: [] });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['flow.steps.0.exits.0.if']]);
  });

  it('hands over to agents of its account only, and they cannot be deleted meanwhile', async () => {
    const stranger = await AgentsEnvironment.open();
    const theirs = await stranger.created();
    await stranger.close();
    const ours = await created();
    const handoffs = [{ agent: theirs, when: 'Always.' }];
    const refused = await send('post', AGENTS, { name: environment.aName(), flow: clinic(theirs), handoffs });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
      422,
      ['flow.steps.2.handoff.agent', 'handoffs.0.agent'],
    ]);
    const id = await created({ flow: clinic(ours) });
    const kept = await send('delete', `${AGENTS}/${ours}`);
    expect([kept.status, kept.body.message]).toEqual([409, expect.stringContaining('hand calls over to the agent')]);
    await send('patch', `${AGENTS}/${id}`, { flow: null, handoffs: [{ agent: ours, when: 'Always.' }] });
    expect((await send('delete', `${AGENTS}/${ours}`)).status).toBe(409);
    await send('patch', `${AGENTS}/${id}`, { handoffs: [] });
    expect((await send('delete', `${AGENTS}/${ours}`)).status).toBe(200);
  });
});

describe('a workspace file', () => {
  const account = `flows-${newId()}`;
  const apply = (agents: { name: string; flow?: object; handoffs?: object[] }[]) =>
    environment.api.outcome(['apply', '-f', '-'], {}, JSON.stringify({ accounts: [{ name: account, agents }] }));
  const shown = async (name: string) => {
    const { rows } = await environment.api.pool.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [
      account,
    ]);
    const api = environment.api.as(await aToken(environment.api.pool, rows[0]!.id));
    const found = (await api.get(AGENTS)).body.data as { id: number; name: string }[];
    const { id } = found.find((one) => one.name === name)!;
    return (await api.get(`${AGENTS}/${id}`)).body.data as Record<string, never> & { id: number };
  };

  it('names agents in any order, also those that hand over to each other, and is exported as it was', async () => {
    const agents = [
      { name: 'Clinic', flow: clinic('Cancellations') },
      { name: 'Cancellations', handoffs: [{ agent: 'Clinic', when: 'The caller wants to book.' }] },
    ];
    const applied = await apply(agents);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    const [clinicAgent, other] = [await shown('Clinic'), await shown('Cancellations')];
    expect(clinicAgent['flow']).toEqual(clinic(other.id));
    expect(other['handoffs']).toEqual([{ agent: clinicAgent.id, when: 'The caller wants to book.' }]);
    const exported = await environment.api.command(['export', '--account', account]);
    const { accounts } = parse(exported) as { accounts: { agents: object[] }[] };
    expect(accounts[0]!.agents).toMatchObject([agents[1], agents[0]]);
    expect(await environment.api.command(['apply', '-f', '-', '--dry-run'], exported)).toBe('Nothing would change.\n');
  });

  /** The path of a field in a file. */
  const inFile = (at: number, path: string): string =>
    `accounts[0].agents[${at}].${path.replaceAll(/\.(\d+)/g, '[$1]')} `;

  it('with flows of a wrong form is refused with the path of each', async () => {
    const wrong = BAD_FLOWS.filter(([what]) => WRONG_FORM.includes(what));
    expect(wrong).toHaveLength(WRONG_FORM.length);
    const agents = wrong.map(([, flow], at) => ({ name: `Agent ${at}`, flow }));
    const { code, stderr } = await apply([...agents, { name: 'More', flow: { ...LINE, prompt: 'Hi.' } }]);
    const paths = wrong.map(([, , [path]], at) => inFile(at, path!));
    expect([code, stderr]).toEqual([1, expect.stringContaining(inFile(wrong.length, 'flow.prompt'))]);
    for (const path of paths) expect(stderr).toContain(path);
  });

  it.each(['an unknown value', 'an island', 'a wrong schema', 'a transfer without a destination'])(
    'with %s is refused with its path',
    async (name) => {
      const [, flow, paths] = BAD_FLOWS.find(([what]) => what === name)!;
      const { code, stderr } = await apply([{ name: 'Clinic', flow }]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(inFile(0, paths.at(-1)!))]);
    },
  );

  it('with an unknown agent or a broken flow is refused at its line', async () => {
    const unknown = await apply([{ name: 'Clinic', flow: clinic('Nobody') }]);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('"Nobody" is not the name of an agent'),
    ]);
    const broken = await apply([{ name: 'Clinic', flow: { start: 'x', steps: [{ name: 'a' }] } }]);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('is not a step of the flow: "x"')]);
  });
});
