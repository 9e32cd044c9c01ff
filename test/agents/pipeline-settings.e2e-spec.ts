import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Response } from 'supertest';
import { v7 as newId } from 'uuid';
import { parse } from 'yaml';
import type { Workspace } from '../support/factories.js';
import { codeBlocks } from '../support/page-code.js';
import { COMPLETE, INVALID_PIPELINES } from '../support/pipeline-examples.js';
import { Service } from '../support/service.js';

const AGENTS = '/api/v1/agents';

const api = Service.get();
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  [own, other] = [await api.account(), await api.account()];
});
afterAll(() => api.close());

let count = 0;
const aName = (): string => `Pipeline ${(count += 1)}`;

const send = (method: 'get' | 'post' | 'put' | 'patch', path: string, body?: object): Promise<Response> => {
  const request = api.as(own.token)[method](path);
  return Promise.resolve(body === undefined ? request : request.send(body));
};

async function created(body: object): Promise<number> {
  const answer = await send('post', AGENTS, { name: aName(), ...body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body.data.id as number;
}

const read = async (id: number) => (await send('get', `${AGENTS}/${id}`)).body.data;

const HEARING = { voice_activity: 'neural', noise_suppression: true, tool_sound: 'music' };

describe('an agent with a pipeline', () => {
  it('is created with every setting, read, and written back as it was read', async () => {
    const fallbacks = [
      { provider: 'openai-realtime', model: 'm' },
      { provider: 'pipeline', pipeline: COMPLETE },
    ];
    const id = await created({ provider: 'pipeline', pipeline: COMPLETE, conversation: HEARING, fallbacks });
    const view = await read(id);
    expect(view).toMatchObject({ provider: 'pipeline', model: null, voice: null, turn_detection: null });
    expect([view.pipeline, view.conversation, view.fallbacks]).toEqual([COMPLETE, HEARING, fallbacks]);
    expect((await send('put', `${AGENTS}/${id}`, view)).status).toBe(200);
    expect(await read(id)).toEqual(view);
  });

  it('needs no settings at all: absent legs are those of the sandbox', async () => {
    const id = await created({ provider: 'pipeline' });
    expect((await read(id)).pipeline).toBeNull();
    expect((await send('patch', `${AGENTS}/${id}`, { pipeline: {} })).body.data).toMatchObject({
      pipeline: {},
      version: 2,
    });
  });

  it('replaces the stored pipeline as a whole, and null removes it', async () => {
    const id = await created({ provider: 'pipeline', pipeline: COMPLETE });
    const small = { synthesizer: { provider: 'cartesia' } };
    expect((await send('patch', `${AGENTS}/${id}`, { pipeline: small })).body.data.pipeline).toEqual(small);
    expect((await send('patch', `${AGENTS}/${id}`, { greeting: 'Hi.' })).body.data.pipeline).toEqual(small);
    expect((await send('patch', `${AGENTS}/${id}`, { pipeline: null })).body.data.pipeline).toBeNull();
  });

  it('loses the settings that its next provider does not have, so that what is read can be written', async () => {
    const id = await created({
      provider: 'openai-realtime',
      model: 'm',
      voice: 'v',
      turn_detection: { silence_ms: 300 },
    });
    const piped = (await send('patch', `${AGENTS}/${id}`, { provider: 'pipeline' })).body.data;
    expect(piped).toMatchObject({ provider: 'pipeline', model: null, voice: null, turn_detection: null, version: 2 });
    await send('patch', `${AGENTS}/${id}`, { pipeline: COMPLETE, script: { rules: [] } });
    const sandbox = (await send('patch', `${AGENTS}/${id}`, { provider: 'sandbox', voice: 'w' })).body.data;
    expect(sandbox).toMatchObject({ provider: 'sandbox', pipeline: null, voice: 'w', script: { rules: [] } });
    expect((await send('put', `${AGENTS}/${id}`, sandbox)).status).toBe(200);
    expect((await send('get', `${AGENTS}/${id}/versions/3`)).body.data.settings.pipeline).toEqual(COMPLETE);
  });

  it('is for another account as if it did not exist', async () => {
    const id = await created({ provider: 'pipeline', pipeline: COMPLETE });
    const missing = await api.as(other.token).get(`${AGENTS}/2000000000`);
    for (const answer of [
      await api.as(other.token).get(`${AGENTS}/${id}`),
      await api.as(other.token).patch(`${AGENTS}/${id}`).send({ pipeline: {} }),
      await api.as(other.token).get(`${AGENTS}/${id}/versions/1`),
    ])
      expect([answer.status, answer.body]).toEqual([404, missing.body]);
    expect((await read(id)).pipeline).toEqual(COMPLETE);
  });
});

describe('an invalid pipeline is 422 on its path:', () => {
  it.each(INVALID_PIPELINES)('%s', async (_what, fields, path, message) => {
    const answer = await send('post', AGENTS, { name: aName(), provider: 'pipeline', ...fields });
    expect([answer.status, answer.body.errors]).toEqual([422, { [path]: [expect.stringContaining(message)] }]);
  });

  it('a pipeline for a stored agent of another provider, and for its draft', async () => {
    const id = await created({ provider: 'gemini-live' });
    for (const path of [`${AGENTS}/${id}`, `${AGENTS}/${id}/versions`]) {
      const answer = await send(path === `${AGENTS}/${id}` ? 'patch' : 'post', path, { pipeline: COMPLETE });
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        {
          pipeline: ['The pipeline field is only supported by the provider pipeline, and the provider is gemini-live.'],
        },
      ]);
    }
  });
});

describe('the versions of an agent with a pipeline', () => {
  it('have pipelines of their own: as a draft, a canary, and restored', async () => {
    const first = { transcriber: { provider: 'deepgram' } };
    const second = { transcriber: { provider: 'assemblyai' }, turns: { longest_ms: 900 } };
    const id = await created({ provider: 'pipeline', pipeline: first });
    const draft = await send('post', `${AGENTS}/${id}/versions`, { pipeline: second });
    expect([draft.status, draft.body.data.settings.pipeline]).toEqual([201, second]);
    expect((await read(id)).pipeline).toEqual(first);
    const canary = await send('post', `${AGENTS}/${id}/versions/2/publish`, { traffic_percent: 20 });
    expect([canary.status, canary.body.data.settings.pipeline]).toEqual([200, second]);
    expect((await send('post', `${AGENTS}/${id}/versions/2/publish`, {})).status).toBe(200);
    expect((await read(id)).pipeline).toEqual(second);
    const restored = await send('post', `${AGENTS}/${id}/versions/1/restore`);
    expect(restored.body.data.settings.pipeline).toEqual(first);
    expect((await read(id)).pipeline).toEqual(first);
  });
});

interface ExampleAgent {
  name: string;
  pipeline?: Record<'transcriber' | 'model' | 'synthesizer', { provider: string } | undefined>;
}

/** The agents that the pages about voice agents show. */
const EXAMPLES = ['agents', 'pipelines', 'pipeline-vendors', 'agent-variables', 'agent-behaviour']
  .flatMap((page) => codeBlocks(`docs/${page}.md`, 'yaml'))
  .filter((block) => block.startsWith('agents:'))
  .flatMap((block) => (parse(block) as { agents: ExampleAgent[] }).agents);

/** Writes accounts with one agent each from a workspace file, as an operator does. @returns what the command prints */
const apply = (accounts: { name: string; agent: object }[]): Promise<string> => {
  const file = {
    accounts: accounts.map(({ name, agent }) => ({ name, agents: [{ name: 'Receptionist', ...agent }] })),
  };
  return api.command(['apply', '-f', '-'], JSON.stringify(file));
};

describe('a workspace file with pipelines', () => {
  const [piped, lines] = [`piped-${newId()}`, `lines-${newId()}`];
  const fallbacks = [{ provider: 'sandbox' }];
  const complete = { provider: 'pipeline', pipeline: COMPLETE, conversation: HEARING, fallbacks };

  it('is applied, with the examples of the pages about voice agents', async () => {
    const examples = EXAMPLES.map((agent) => ({ name: `docs-${newId()}`, agent }));
    const others = [
      { name: piped, agent: complete },
      { name: lines, agent: { provider: 'gemini-live' } },
    ];
    const printed = await apply([...others, ...examples]);
    expect(printed.match(/agent .+: id \d+, created/g)).toHaveLength(examples.length + 2);
  });

  it('is exported, and applied again without a change', async () => {
    const exported = await api.command(['export', '--account', piped]);
    const [account] = (parse(exported) as { accounts: { agents: object[] }[] }).accounts;
    expect(account?.agents).toMatchObject([complete]);
    expect(await api.command(['apply', '-f', '-'], exported)).toMatch(/agent Receptionist: id \d+, unchanged/);
  });

  it('names the line of a setting that the provider of the stored agent does not have', async () => {
    const yaml = `accounts:\n  - name: ${lines}\n    agents:\n      - name: Receptionist\n        pipeline:\n          turns: {}\n`;
    await expect(api.command(['apply', '-f', '-'], yaml)).rejects.toThrow(
      ':5: accounts[0].agents[0].pipeline is only supported by the provider pipeline',
    );
  });
});

describe('the examples of docs/pipeline-vendors.md and the pages beside it', () => {
  it.each(['transcriber', 'model', 'synthesizer'] as const)('show each vendor of the leg %s', (leg) => {
    const shown = new Set(EXAMPLES.map(({ pipeline }) => pipeline?.[leg]?.provider));
    expect([...shown]).toEqual(expect.arrayContaining(vendorsOf(leg).filter((name) => name !== 'sandbox')));
  });
});

/** The vendors of a leg in the schema of workspace files. */
function vendorsOf(leg: string): string[] {
  const agents = '/properties/accounts/items/properties/agents/items';
  const path = `${agents}/properties/pipeline/anyOf/0/properties/${leg}/properties/provider/enum`;
  const schema = JSON.parse(readFileSync('docs/workspace.schema.json', 'utf8')) as object;
  const at = (node: object, key: string): object => (node as Record<string, object>)[key] ?? {};
  return path.slice(1).split('/').reduce(at, schema) as string[];
}

describe('a simulation of an agent with a pipeline', () => {
  const simulate = async (pipeline: object) => {
    const script = { rules: [{ on: { text: 'order' }, say: 'It is shipped.' }] };
    const id = await created({ provider: 'pipeline', greeting: 'Hello.', script, pipeline });
    const steps = [{ expects: 'Hello' }, { says: 'Where is my order?', expects: 'shipped' }];
    return send('post', `${AGENTS}/${id}/simulations`, { steps });
  };

  it('needs no vendors of speech', async () => {
    const speech = { transcriber: { provider: 'deepgram' }, synthesizer: { provider: 'elevenlabs' } };
    const answer = await simulate(speech);
    expect([answer.status, answer.body.data?.passed, answer.body.data?.steps]).toEqual([
      200,
      true,
      [expect.objectContaining({ failures: [] }), expect.objectContaining({ failures: [] })],
    ]);
  });

  it('is 422 when its language model is not configured', async () => {
    const answer = await simulate({ model: { provider: 'anthropic', model: 'm' } });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining('not available here')]);
  });
});

describe('the overrides of a call of an agent with a pipeline', () => {
  it('are checked and stored: the voice is that of the synthesizer', async () => {
    const id = await created({ provider: 'pipeline', pipeline: COMPLETE });
    const call = (overrides: object): Promise<Response> =>
      send('post', '/api/v1/calls', {
        agent_id: id,
        number_id: own.numberId,
        trunk_id: own.trunkId,
        to_number: '+15550004444',
        agent_overrides: overrides,
      });
    const answer = await call({ voice: 'another-voice', language: 'fr-CA' });
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    expect((await call({ voice: 'two words' })).body.errors).toEqual({
      'agent_overrides.voice': [expect.stringContaining('spaces')],
    });
  });
});
