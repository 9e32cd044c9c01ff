import { CampaignImportRunnerService } from './imports/campaign-import-runner.service.js';
import { CampaignRunnerService } from './campaign-runner.service.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { eventually } from '../../../test/support/eventually.js';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { type CommandOutput, runCommand } from '../../../test/support/run-command.js';
import { UnitLanes } from '../../../test/support/unit-lanes.js';

const SECRET_KEY = 'the secret key of the tests, 32+ characters';

interface ImportBody {
  id: string;
  status: string;
  rows: number;
  added: number;
  merged: number;
  refused: number;
  processing_error: string | null;
}

let api: InProcessApi;
let own: Workspace;
let runner: UnitLanes;
let campaigns = 0;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool, { name: 'acme' });
  const imports = api.app.get(CampaignImportRunnerService);
  runner = new UnitLanes(() => imports.importNext()).start();
});
afterAll(async () => {
  await runner?.stop();
  await api?.stop();
});

const me = () => api.as(own.token);

async function draft(name = `campaign ${(campaigns += 1)}`): Promise<string> {
  const body = { name, agent_id: own.agentId, number_ids: [own.numberId], trunk_id: own.trunkId };
  const { body: answer } = await me().post('/api/v1/campaigns').send(body).expect(201);
  return `/api/v1/campaigns/${answer.data.id}`;
}

const upload = (path: string, text: string | Buffer, fields: Record<string, string> = {}, name = 'contacts.csv') =>
  me()
    .post(`${path}/contacts/import`)
    .field(fields)
    .attach('file', Buffer.from(text as string), name);

async function imported(path: string, text: string | Buffer, fields: Record<string, string> = {}): Promise<ImportBody> {
  const answer = await upload(path, text, fields);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return ended(path, answer.body.data.id as string);
}

const ended = async (path: string, id: string): Promise<ImportBody> =>
  eventually(
    async () => (await me().get(`${path}/imports/${id}`)).body.data as ImportBody,
    ({ status }) => status === 'completed' || status === 'failed',
  );

const contactsOf = async (path: string, query: object = {}) =>
  (
    await me()
      .get(`${path}/contacts`)
      .query({ per_page: 100, ...query })
  ).body.data as Record<string, unknown>[];

describe('a CSV file of contacts', () => {
  it('with known numbers merges or refuses them as requested', async () => {
    const path = await draft();
    await imported(path, 'to_number,metadata.v\n+15550000001,1\n+15550000002,1\n');
    const again = 'to_number,metadata.v\n+15550000002,2\n+15550000003,2\n+15550000003,3\n';
    expect(await imported(path, again, { duplicates: 'refuse' })).toMatchObject({ added: 1, merged: 0, refused: 2 });
    expect(await imported(path, again, { duplicates: 'merge' })).toMatchObject({ added: 0, merged: 3, refused: 0 });
    expect((await contactsOf(path)).map(({ metadata }) => metadata)).toEqual([{ v: '1' }, { v: '2' }, { v: '3' }]);
    const { body } = await me().get(`${path}/progress`);
    expect(body.data.contacts).toMatchObject({ total: 3, waiting: 3 });
  });

  it('with a quote that is not closed keeps the rows before it and names the line', async () => {
    const path = await draft();
    const rows = Array.from({ length: 3_000 }, (_, index) => `+1555${String(index).padStart(7, '0')},x`);
    const result = await imported(path, ['to_number,metadata.a', ...rows, '+15559999999,"open', 'y,z'].join('\n'));
    expect(result).toMatchObject({
      status: 'failed',
      processing_error:
        'FILE_CORRUPT: A quote in the record that begins at line 3002 is not closed. Correct the file and import it again; rows that were added are merged.',
    });
    expect(result.added).toBe(result.rows);
  });

  it('is deleted from the storage when its import or its campaign is over', async () => {
    const path = await draft();
    await runner.stop();
    await upload(path, 'to_number\n+15550000001').expect(201);
    const stored = async () =>
      (await readdir(join(api.home, 'storage'), { recursive: true })).filter((name) => name.endsWith('.csv'));
    expect(await stored()).toHaveLength(1);
    await me().delete(path).expect(200);
    runner.start();
    await eventually(stored, (files) => files.length === 0);
  });

  it('whose worker died is imported to its end, each row once', async () => {
    const path = await draft();
    await runner.stop();
    const rows = Array.from({ length: 2_600 }, (_, index) => `+1555${String(index % 2_500).padStart(7, '0')}`);
    const { body } = await upload(path, ['to_number', ...rows].join('\n'), { duplicates: 'refuse' }).expect(201);
    const id = body.data.id as string;
    // The worker stops in the transaction of its third batch, as a killed process does.
    await api.pool.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.rows > 1000 THEN RAISE EXCEPTION 'died'; END IF; RETURN NEW; END $$`);
    await api.pool.query('CREATE TRIGGER die BEFORE UPDATE ON campaign_imports FOR EACH ROW EXECUTE FUNCTION die()');
    runner.start();
    const atRows = async () => ((await me().get(`${path}/imports/${id}`)).body.data as ImportBody).rows;
    await eventually(atRows, (done) => done === 1_000);
    await runner.stop();
    await api.pool.query('DROP TRIGGER die ON campaign_imports');
    // The lease of the dead worker has expired.
    await api.pool.query('UPDATE campaign_imports SET lease_until = now() WHERE id = $1', [id]);
    runner.start();
    expect(await ended(path, id)).toMatchObject({ status: 'completed', rows: 2_600, added: 2_500, refused: 100 });
    expect((await me().get(`${path}/progress`)).body.data.contacts.waiting).toBe(2_500);
  });

  it('keeps a running campaign open until its last row is read', async () => {
    const path = await draft();
    await runner.stop();
    await me()
      .post(`${path}/contacts`)
      .send({ contacts: [{ to_number: '+15550000001' }] });
    await upload(path, 'to_number\n+15550000002').expect(201);
    await me().post(`${path}/start`).expect(200);
    const { id } = (await contactsOf(path))[0] as { id: string };
    await me().delete(`${path}/contacts/${id}`).expect(200);
    const turns = api.app.get(CampaignRunnerService);
    turns.start();
    // A turn of the campaign without contacts is followed by one with the contact of the file.
    runner.start();
    const attempts = async () => (await me().get(`${path}/progress`)).body.data.attempts as number;
    expect(await eventually(attempts, (made) => made > 0)).toBe(1);
    await turns.stop();
    await runner.stop();
  });
});

describe('bin/trunkline campaigns', () => {
  const campaigns = (...words: string[]): Promise<CommandOutput> =>
    runCommand(['campaigns', ...words, '--account', 'acme'], {
      DATABASE_URL: api.databaseUrl,
      SECRET_KEY,
      TRUNKLINE_HOME: api.home,
    });
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await campaigns(...words, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('creates, fills, starts, pauses, shows and exports a campaign, and says why a number was not called', async () => {
    const file = join(api.home, 'campaign.yaml');
    await writeFile(
      file,
      `name: by command\nagent_id: ${own.agentId}\nnumber_ids: [${own.numberId}]\ntrunk_id: ${own.trunkId}\n`,
    );
    expect(await json('create', '--file', file)).toMatchObject({ name: 'by command', status: 'draft' });
    const csv = join(api.home, 'contacts.csv');
    await writeFile(csv, 'Tel;Name\n+15550009001;Ada\n');
    const columns = ['--column', 'Tel=to_number', '--column', 'Name=metadata.name'];
    expect(await json('import', 'by command', csv, ...columns)).toMatchObject({ status: 'pending' });
    runner.start();
    await eventually(
      async () => (await json('show', 'by command')) as { progress: { contacts: { waiting: number } } },
      ({ progress }) => progress.contacts.waiting === 1,
    );
    await runner.stop();
    expect((await campaigns('why', '+1 555 000 9001')).stdout).toBe(
      'by command  waiting  The campaign has not been started.\n',
    );
    expect(await json('start', 'by command')).toMatchObject({ status: 'running' });
    expect((await campaigns('pause', 'by command')).stdout).toContain('by command  paused  requested');
    const output = join(api.home, 'out.csv');
    expect((await campaigns('export', 'by command', '--output', output)).code).toBe(0);
    expect(await readFile(output, 'utf8')).toContain('+15550009001,waiting,campaign_paused,The campaign is paused.');
    const nowhere = await campaigns('export', 'by command', '--output', join(api.home, 'missing', 'out.csv'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('out.csv cannot be written: ENOENT')]);
    expect((await campaigns('list', '--status', 'paused')).stdout).toMatch(/^\d+ {2}by command {2}paused/);
  });

  it('names the fields of a wrong file', async () => {
    const csv = join(api.home, 'wrong.csv');
    await writeFile(csv, 'name\nAda\n');
    const { code, stderr } = await campaigns('import', 'by command', csv);
    expect([code, stderr]).toEqual([1, expect.stringContaining('file: The file has no column to_number.')]);
  });
});
