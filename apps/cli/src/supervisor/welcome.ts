import { join, relative } from 'node:path';
import type { Workspace } from './demo-workspace.js';
import type { Ready } from '../installation-home.js';
import type { Search } from './search-choice.js';

interface Welcome extends Pick<Ready, 'base_url' | 'docs_url' | 'console_url' | 'guide_url' | 'sandbox'> {
  /** The setting CONSOLE. */
  isConsoleOn: boolean;
  workspace: Workspace | undefined;
  home: string;
  took: string;
  sipPort: number | undefined;
  search: Search;
}

/** `nest build` alone removes the pages from dist. */
const NO_CONSOLE = 'is not built: run `npm run build` and start again';

/** The addresses and the token of the installation, and a first call to paste. */
export function welcome(o: Welcome): string {
  const lines = [
    '',
    `Trunkline is up after ${o.took}. Press Ctrl-C to stop it.`,
    '',
    `  API      ${o.base_url}/api/v1`,
    ...(o.docs_url ? [`  Swagger  ${o.docs_url}`] : []),
    ...(o.isConsoleOn ? [`  Console  ${o.console_url ? signedIn(o.console_url, o.workspace) : NO_CONSOLE}`] : []),
    ...(o.guide_url ? [`  Guide    ${o.guide_url}`] : []),
    ...(o.workspace ? [`  Token    ${o.workspace.token}`] : []),
    `  Search   ${searchOf(o.search)}`,
    `  Logs     ${join(shortest(o.home), 'logs')}`,
    '',
    ...firstCall(o),
    ...firstCallIn(o),
    ...talk(o),
    '',
  ];
  return lines.join('\n');
}

/** The embedder may still be loading its model. */
const searchOf = ({ provider }: Search): string =>
  provider === null ? 'by words alone' : `by words and meaning (vectors: ${provider})`;

/** Relative to the working directory if the folder is inside it. */
function shortest(folder: string): string {
  const fromHere = relative(process.cwd(), folder);
  return fromHere === '' || fromHere.startsWith('..') ? folder : fromHere;
}

/** The fragment stays in the browser, and the page removes it from the address bar at once. */
const signedIn = (url: string, workspace: Workspace | undefined): string =>
  workspace ? `${url}#token=${workspace.token}` : url;

/** The page in which the browser calls the first agent. */
function talk({ workspace, isConsoleOn, console_url: url }: Welcome): string[] {
  if (!workspace || workspace.agent_id === null || !isConsoleOn || !url) return [];
  return ['', `Talk to your agent: ${signedIn(url, workspace)}&to=/agents/${workspace.agent_id}/talk`];
}

function firstCall({ workspace, base_url: base, sandbox }: Welcome): string[] {
  if (!workspace)
    return [
      'The token of this installation is not stored here. Issue another: bin/trunkline tokens issue --account NAME',
    ];
  const { token, agent_id, number_id } = workspace;
  if (agent_id === null || number_id === null) {
    return ['The account has no agent or no number yet. Create them: bin/trunkline apply -f workspace.yaml'];
  }
  const to_number = `sip:${sandbox.extensions.answer}@${sandbox.sip_host}:${sandbox.sip_port}`;
  return [
    'A first call, to the sandbox phone:',
    '',
    `  curl -s ${base}/api/v1/calls \\`,
    `    -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify({ agent_id, number_id, to_number })}'`,
  ];
}

/** The demo trunk accepts calls from this machine. */
function firstCallIn({ workspace, sipPort }: Welcome): string[] {
  if (!workspace?.answered_number || !sipPort) return [];
  const uri = `sip:${workspace.answered_number}@127.0.0.1:${sipPort}`;
  return ['', `Or call the agent from a softphone on this machine; it needs no SIP account: ${uri}`];
}
