import { describe, expect, it } from '@jest/globals';
import { welcome } from './welcome.js';

const STARTED = {
  base_url: 'http://localhost:3000',
  docs_url: null,
  console_url: 'http://localhost:3000/console',
  guide_url: null,
  isConsoleOn: true,
  sandbox: { sip_host: '127.0.0.1', sip_port: 5080, extensions: { answer: '100' } },
  workspace: undefined,
  home: '.trunkline',
  took: '2.0 s',
  sipPort: undefined,
  search: { provider: null, reason: 'EMBEDDINGS_PROVIDER=none' },
};

const consoleLines = (started: Partial<typeof STARTED> | { console_url: null; isConsoleOn?: boolean }): string[] =>
  welcome({ ...STARTED, ...started })
    .split('\n')
    .filter((line) => line.includes('Console'));

describe('the lines of a started installation', () => {
  it('name the address of the console', () =>
    expect(consoleLines({})).toEqual(['  Console  http://localhost:3000/console']));

  it('say that the console is not built and what builds it', () =>
    expect(consoleLines({ console_url: null })).toEqual([
      '  Console  is not built: run `npm run build` and start again',
    ]));

  it('do not mention a console that the settings turn off', () =>
    expect(consoleLines({ console_url: null, isConsoleOn: false })).toEqual([]));

  it('end with the page in which the browser calls the first agent', () => {
    const workspace = {
      token: 'tk_1',
      account_id: 1,
      agent_id: 7,
      number_id: 1,
      trunk_id: null,
      webhook_secret: null,
      answered_number: null,
    };
    const lines = welcome({ ...STARTED, workspace })
      .trimEnd()
      .split('\n');
    expect(lines.at(-1)).toBe('Talk to your agent: http://localhost:3000/console#token=tk_1&to=/agents/7/talk');
    expect(welcome({ ...STARTED, workspace, isConsoleOn: false, console_url: null })).not.toContain('Talk to');
  });

  it.each([
    [null, '  Search   by words alone'],
    ['embedder', '  Search   by words and meaning (vectors: embedder)'],
  ])('say how knowledge bases are searched with the provider %s', (provider, line) =>
    expect(welcome({ ...STARTED, search: { provider, reason: null } }).split('\n')).toContain(line),
  );
});
