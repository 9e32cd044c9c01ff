import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHROMIUM, openCallBrowser, spokenWords, untilTrue } from '../../support/call-browser.js';
import { type ClientProject, installClientPackage } from '../../support/client-package.js';
import { codeBlocks } from '../../support/page-code.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const withChromium = suiteWith(['chromium'], () => existsSync(CHROMIUM));

withChromium('the program of docs/integrate/web-calls.md', () => {
  let stack: Stack;
  let project: ClientProject;
  let account: TestAccount;
  let server: ChildProcess;
  let browser: Awaited<ReturnType<typeof openCallBrowser>>;

  beforeAll(async () => {
    const speech = await spokenWords('Good morning. Are you open on Sunday?');
    const silence = new Int16Array(3 * 16_000);
    [stack, project, browser] = await Promise.all([
      Stack.start(),
      installClientPackage(),
      openCallBrowser({ hears: Int16Array.from([...speech, ...silence]) }),
    ]);
    account = await createAccount(stack, { name: 'acme' });
  });

  afterAll(async () => {
    server?.kill();
    await browser?.close();
    await stack?.stop();
    await project?.remove();
  });

  it('lets a person talk to the agent: the words of the agent are shown, and the call is listed', async () => {
    const text = await readFile('docs/integrate/web-calls.md', 'utf8');
    expect(text).toContain('as `web-calls.mjs`');
    const program = join(project.folder, 'web-calls.mjs');
    await writeFile(program, codeBlocks('docs/integrate/web-calls.md', 'js').join('\n'));
    server = spawn(process.execPath, [program], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PORT: '0',
        TRUNKLINE_URL: stack.baseUrl,
        TRUNKLINE_TOKEN: account.token,
        TRUNKLINE_AGENT: String(account.agentId),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = (await once(server.stdout!, 'data')) as [Buffer];
    const port = /^listening (\d+)\n$/.exec(printed.toString())![1]!;

    const page = await browser.browser.newPage();
    await page.goto(`http://localhost:${port}/`);
    await page.click('#talk');
    // The sandbox agent does not understand words: those of the person have no text.
    await untilTrue(page, `document.querySelector('#words').textContent.includes('agent: ')`);
    await page.click('#end');
    await untilTrue(page, `document.querySelector('#status').textContent === 'The call has ended.'`);

    const headers = { authorization: `Bearer ${account.token}` };
    const list = await fetch(`${stack.baseUrl}/api/v1/calls?channel=web`, { headers });
    const { data } = (await list.json()) as { data: { channel: string; to_number: string }[] };
    expect(data).toEqual([expect.objectContaining({ channel: 'web', to_number: `web:${account.agentId}` })]);
  });
});
