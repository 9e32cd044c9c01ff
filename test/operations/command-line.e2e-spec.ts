import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

let service: Service;
let story: StoryAccount;
const account = `operator-${process.pid}-${Date.now()}`;

beforeAll(async () => {
  service = Service.get();
  story = await StoryAccount.open(service, { name: 'Front desk' }, { name: account });
});

afterAll(async () => {
  await story.close();
  await service.close();
});

const ofAccount = (...words: string[]): Promise<string> => service.command([...words, '--account', account]);

it('lists and shows the account, its agents, numbers and calls as the API does', async () => {
  const { accountId, numberId } = story.workspace;
  const accounts = JSON.parse(await service.command(['accounts', 'list', '--json'])) as object[];
  expect(accounts).toContainEqual(expect.objectContaining({ id: accountId, name: account }));
  const limits = await story.me.get('/api/v1/account').expect(200);
  expect(parse(await service.command(['accounts', 'show', account]))).toEqual(limits.body.data);

  expect(await ofAccount('agents', 'list')).toContain(`${story.agentId}  Front desk  sandbox  active`);
  const agent = await story.me.get(`/api/v1/agents/${story.agentId}`).expect(200);
  expect(parse(await ofAccount('agents', 'show', 'Front desk'))).toEqual(agent.body.data);

  const number = (await story.me.get(`/api/v1/numbers/${numberId}`).expect(200)).body.data as { e164: string };
  expect(JSON.parse(await ofAccount('numbers', 'list', '--json'))).toEqual([number]);
  expect(parse(await ofAccount('numbers', 'show', number.e164))).toEqual(number);

  const id = await story.place(story.uri('answer'));
  const call = await story.ended(id);
  expect(await ofAccount('calls', 'list', '--status', 'completed')).toContain(id);
  const { status, duration_seconds, cost, hangup_cause } = call;
  expect(parse(await ofAccount('calls', 'show', id))).toMatchObject({ status, duration_seconds, cost, hangup_cause });
});

it('says below a failed call why it failed', async () => {
  const id = await story.place(story.uri('status_404'));
  const { failure } = (await story.ended(id)) as { failure: { message: string } };
  const lines = (await ofAccount('calls', 'list', '--status', 'failed')).split('\n');
  const at = lines.findIndex((line) => line.startsWith(id));
  expect(lines.slice(at, at + 2)).toEqual([
    expect.stringMatching(/ {2}failed {2}unallocated_number$/),
    `  ${failure.message}`,
  ]);
  expect(parse(await ofAccount('calls', 'show', id))).toMatchObject({ failure });
});

it('names what exists when an account, a record or a command is not found', async () => {
  const sentence = async (...words: string[]): Promise<string> => (await service.outcome(words)).stderr;
  const several = await sentence('agents', 'list');
  expect(several).toContain('There are several accounts, choose one with --account: ');
  expect(await sentence('agents', 'show', 'Nobody', '--account', account)).toContain(
    'The account has no agent Nobody; `agents list` shows all of them.',
  );
  expect(await sentence('agnets', 'list')).toContain('(Did you mean agents?)');
  expect(await sentence('calls', 'lst')).toContain('(Did you mean list?)');
  // The suggestion is the last but one line: the help is not printed below it.
  expect(await sentence('calls', 'list', '--acount', 'x')).toMatch(
    /unknown option '--acount'\n\(Did you mean --account\?\)\n+Add --help for the commands and options\.\n$/,
  );
});
