import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceExportService, WorkspaceModule, WorkspaceService } from '@app/accounts';
import { MODEL_NAMES, SYNTHESIZER_NAMES, TRANSCRIBER_NAMES } from '@app/common';
import type { INestApplicationContext } from '@nestjs/common';
import type { Response } from 'supertest';
import { parse } from 'yaml';
import { TestApi } from './support/app.js';
import { aWorkspace, type Workspace } from './support/factories.js';
import { codeBlocks } from './support/page-code.js';
import { openServices } from './support/services.js';

const AGENTS = '/api/v1/agents';
const SECRET_KEY = 'the secret key of the tests, 32+ characters';

let api: TestApi;
let services: INestApplicationContext;
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  api = await TestApi.start();
  services = await openServices({ DATABASE_URL: api.databaseUrl, SECRET_KEY }, [WorkspaceModule]);
  [own, other] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
});
afterAll(async () => {
  await services.close();
  await api?.stop();
});

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

/** A pipeline with every setting. */
const COMPLETE = {
  transcriber: {
    provider: 'deepgram',
    model: 'nova-3',
    keywords: ['Trunkline', 'Müller & Söhne'],
    fallbacks: [{ provider: 'assemblyai', keywords: [] }, { provider: 'openai', model: 'm' }, { provider: 'sandbox' }],
  },
  model: {
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    temperature: 0.3,
    max_tokens: 500,
    fallbacks: [{ provider: 'openai-compatible', model: 'llama3.3:70b', temperature: 0, max_tokens: 1 }],
  },
  synthesizer: {
    provider: 'elevenlabs',
    voice: 'JBFqnCBsd6RMkjVDRZzb',
    model: 'eleven_flash_v2_5',
    speed: 1.1,
    fallbacks: [
      { provider: 'openai', voice: 'coral', instructions: 'Calm and friendly.' },
      { provider: 'program', voice: 'en-us+f3', speed: 0.5 },
    ],
  },
  turns: {
    after_punctuation_ms: 200,
    without_punctuation_ms: 600,
    longest_ms: 1_200,
    acknowledgements: ['mhm', 'all right'],
    speculation: false,
  },
  pronunciations: [
    { text: 'SQL', spoken: 'sequel' },
    { text: 'Dr.', spoken: 'Doctor' },
  ],
  languages: ['de', 'fr-CA'],
};

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

const many = <T>(length: number, one: (index: number) => T): T[] => Array.from({ length }, (_, index) => one(index));
const leg = (key: 'transcriber' | 'model' | 'synthesizer', options: object) => ({ pipeline: { [key]: options } });
const turns = (settings: object) => ({ pipeline: { turns: settings } });
const ONE_OF = 'must be one of sandbox, ';

describe('an invalid pipeline is 422 on its path:', () => {
  it.each<[string, object, string, string]>([
    ['an unknown transcriber', leg('transcriber', { provider: 'elevenlabs' }), 'pipeline.transcriber.provider', ONE_OF],
    ['an unknown model vendor', leg('model', { provider: 'deepgram' }), 'pipeline.model.provider', ONE_OF],
    ['an unknown synthesizer', leg('synthesizer', { provider: 'anthropic' }), 'pipeline.synthesizer.provider', ONE_OF],
    ['a leg without a vendor', leg('model', { model: 'm' }), 'pipeline.model.provider', ONE_OF],
    ['a leg that is a name', { pipeline: { model: 'gpt' } }, 'pipeline.model', 'must be a map of provider, model'],
    ['a pipeline that is a list', { pipeline: [] }, 'pipeline', 'must be a map of transcriber'],
    ['a model with a space', leg('model', { provider: 'openai', model: 'a b' }), 'pipeline.model.model', 'spaces'],
    [
      'a voice that is too long',
      leg('synthesizer', { provider: 'cartesia', voice: 'v'.repeat(201) }),
      'pipeline.synthesizer.voice',
      'must not be longer than 200 characters',
    ],
    [
      'a hot model',
      leg('model', { provider: 'openai', temperature: 2.1 }),
      'pipeline.model.temperature',
      'from 0 to 2',
    ],
    [
      'an answer without tokens',
      leg('model', { provider: 'openai', max_tokens: 0 }),
      'pipeline.model.max_tokens',
      'from 1',
    ],
    [
      'a hasty voice',
      leg('synthesizer', { provider: 'openai', speed: 3 }),
      'pipeline.synthesizer.speed',
      'from 0.5 to 2',
    ],
    [
      'four fallbacks of a leg',
      leg('transcriber', { provider: 'deepgram', fallbacks: many(4, () => ({ provider: 'sandbox' })) }),
      'pipeline.transcriber.fallbacks',
      'must not be more than 3',
    ],
    [
      'an invalid fallback of a leg',
      leg('synthesizer', { provider: 'openai', fallbacks: [{ provider: 'program', speed: 0 }] }),
      'pipeline.synthesizer.fallbacks.0.speed',
      'from 0.5 to 2',
    ],
    [
      'too many keywords',
      leg('transcriber', { provider: 'deepgram', keywords: many(101, String) }),
      'pipeline.transcriber.keywords',
      'must not be more than 100',
    ],
    [
      'a keyword of two lines',
      leg('transcriber', { provider: 'deepgram', keywords: ['a', 'b\nc'] }),
      'pipeline.transcriber.keywords.1',
      'line breaks',
    ],
    ['a turn that ends at once', turns({ after_punctuation_ms: 0 }), 'pipeline.turns.after_punctuation_ms', 'from 50'],
    ['a turn without an end', turns({ longest_ms: 20_001 }), 'pipeline.turns.longest_ms', 'to 20000'],
    [
      'a silence that is longer than the longest',
      turns({ after_punctuation_ms: 500, longest_ms: 400 }),
      'pipeline.turns.after_punctuation_ms',
      'must not be more than longest_ms (400)',
    ],
    [
      'a silence without punctuation that is longer than the longest',
      turns({ without_punctuation_ms: 500, longest_ms: 400 }),
      'pipeline.turns.without_punctuation_ms',
      'must not be more than longest_ms (400)',
    ],
    ['speculation in words', turns({ speculation: 'yes' }), 'pipeline.turns.speculation', 'must be true or false'],
    [
      'an empty acknowledgement',
      turns({ acknowledgements: [' '] }),
      'pipeline.turns.acknowledgements.0',
      'not be empty',
    ],
    ['an acknowledgement twice', turns({ acknowledgements: ['a', 'a'] }), 'pipeline.turns.acknowledgements', 'twice'],
    [
      'too many pronunciations',
      { pipeline: { pronunciations: many(501, (index) => ({ text: `t${index}`, spoken: 's' })) } },
      'pipeline.pronunciations',
      'must not be more than 500',
    ],
    [
      'a word with two pronunciations',
      {
        pipeline: {
          pronunciations: [
            { text: 'SQL', spoken: 'a' },
            { text: 'SQL', spoken: 'b' },
          ],
        },
      },
      'pipeline.pronunciations.1.text',
      'used more than once',
    ],
    [
      'a pronunciation without a spoken form',
      { pipeline: { pronunciations: [{ text: 'SQL' }] } },
      'pipeline.pronunciations.0.spoken',
      'is required',
    ],
    [
      'a language that is none',
      { pipeline: { languages: ['deutsch!'] } },
      'pipeline.languages.0',
      'must be a language',
    ],
    ['a language twice', { pipeline: { languages: ['de', 'DE'] } }, 'pipeline.languages', 'twice'],
    ['a model beside the pipeline', { model: 'm' }, 'model', 'use pipeline.model.model'],
    ['a voice beside the pipeline', { voice: 'v' }, 'voice', 'use pipeline.synthesizer.voice'],
    ['transcription beside it', { transcription_model: 'm' }, 'transcription_model', 'use pipeline.transcriber.model'],
    ['turn detection beside it', { turn_detection: {} }, 'turn_detection', 'use pipeline.turns'],
    ['another provider', { provider: 'sandbox', pipeline: {} }, 'pipeline', 'only supported by the provider pipeline'],
    ['no provider', { provider: undefined, pipeline: {} }, 'pipeline', 'and the provider is sandbox'],
    [
      'a fallback of another provider',
      { fallbacks: [{ provider: 'gemini-live', pipeline: {} }] },
      'fallbacks.0.pipeline',
      'and the provider is gemini-live',
    ],
    [
      'a fallback with a voice beside its pipeline',
      { fallbacks: [{ provider: 'sandbox' }, { provider: 'pipeline', voice: 'v' }] },
      'fallbacks.1.voice',
      'use pipeline.synthesizer.voice',
    ],
    [
      'an unknown detector',
      { conversation: { voice_activity: 'ears' } },
      'conversation.voice_activity',
      'energy or neural',
    ],
    ['an unknown sound', { conversation: { tool_sound: 'rain' } }, 'conversation.tool_sound', 'off, typing or music'],
  ])('%s', async (_what, fields, path, message) => {
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

describe('a workspace file with a pipeline', () => {
  const apply = (text: string) => services.get(WorkspaceService).apply(text, 'workspace.yaml');
  const file = (account: string, agent: object): string =>
    JSON.stringify({ accounts: [{ name: account, agents: [{ name: 'Receptionist', ...agent }] }] });

  it('is applied, exported, and applied again without a change', async () => {
    const agent = {
      provider: 'pipeline',
      pipeline: COMPLETE,
      conversation: HEARING,
      fallbacks: [{ provider: 'sandbox' }],
    };
    const [first] = (await apply(file('piped', agent))).accounts;
    expect(first?.agents[0]?.result).toBe('created');
    const noTools = () => Promise.resolve({ tools: [], omitted: [] });
    const exported = await services.get(WorkspaceExportService).export('piped', noTools);
    expect(exported).toContain('pronunciations:');
    const [second] = (await apply(exported ?? '')).accounts;
    expect(second?.agents[0]).toMatchObject({ id: first?.agents[0]?.id, result: 'unchanged' });
    const { rows } = await api.pool.query<{ stored: object }>(
      `SELECT provider_options -> 'pipeline' AS stored FROM agents WHERE id = $1`,
      [first?.agents[0]?.id],
    );
    expect(rows[0]?.stored).toEqual(COMPLETE);
  });

  it('names the line of a setting that the provider of the stored agent does not have', async () => {
    await apply(file('lines', { provider: 'gemini-live' }));
    const yaml =
      'accounts:\n  - name: lines\n    agents:\n      - name: Receptionist\n        pipeline:\n          turns: {}\n';
    await expect(apply(yaml)).rejects.toThrow(
      'workspace.yaml:5: accounts[0].agents[0].pipeline is only supported by the provider pipeline',
    );
  });
});

describe('the examples of docs/agents.md', () => {
  const examples = codeBlocks('docs/agents.md', 'yaml').filter((block) => block.startsWith('agents:'));
  const agents = examples.flatMap((block) => (parse(block) as { agents: ExampleAgent[] }).agents);
  const vendorsOf = (leg: keyof NonNullable<ExampleAgent['pipeline']>): (string | undefined)[] =>
    agents.map(({ pipeline }) => pipeline?.[leg]?.provider);

  it.each(agents.map((agent, at): [string, ExampleAgent, number] => [agent.name, agent, at]))(
    'can be applied: %s',
    async (_name, agent, at) => {
      const file = JSON.stringify({ accounts: [{ name: `docs ${at}`, agents: [agent] }] });
      const [account] = (await services.get(WorkspaceService).apply(file, 'docs.yaml')).accounts;
      expect(account?.agents[0]?.result).toBe('created');
    },
  );

  it('show each vendor in each leg that it has', () => {
    const named = (names: readonly string[]) => names.filter((name) => name !== 'sandbox').toSorted();
    const shown = (leg: 'transcriber' | 'model' | 'synthesizer') =>
      [...new Set(vendorsOf(leg))].filter((name) => name !== undefined).toSorted();
    expect(shown('transcriber')).toEqual(named(TRANSCRIBER_NAMES));
    expect(shown('model')).toEqual(named(MODEL_NAMES));
    expect(shown('synthesizer')).toEqual(named(SYNTHESIZER_NAMES));
  });
});

interface ExampleAgent {
  name: string;
  pipeline?: Record<'transcriber' | 'model' | 'synthesizer', { provider: string } | undefined>;
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
