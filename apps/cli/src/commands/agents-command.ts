import { AccountsModule } from '@app/accounts';
import { AgentsModule, AgentsService, type AgentSummaryView } from '@app/agents';
import type { Env } from '@app/common';
import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { type AccountOptions, onAccount } from '../command-context.js';
import { MAX_LISTED, printList, printRecord } from '../listed-records.js';
import { Problem } from '../problem.js';

const AGENTS = { modules: [EgressModule, StorageModule, AccountsModule, AgentsModule] };

/** `trunkline agents list`: by name. */
export async function listAgentsCommand(env: Env, options: AccountOptions): Promise<void> {
  await onAccount(env, AGENTS, options, async ({ accountId, services }) => {
    const { agents, total } = await services.get(AgentsService).list(accountId, { page: 1, perPage: MAX_LISTED });
    printList(options.json, agents, inOneLine, 'The account has no agents.');
    if (total > agents.length) console.error(`Only the first of ${total} agents are listed.`);
  });
}

const inOneLine = ({ id, name, provider, active }: AgentSummaryView): string =>
  [id, name, provider, active ? 'active' : 'inactive'].join('  ');

/** `trunkline agents show`: the settings of an agent, by its name or id, as the API returns them. */
export async function showAgentCommand(env: Env, agent: string, options: AccountOptions): Promise<void> {
  await onAccount(env, AGENTS, options, async ({ accountId, services }) => {
    const agents = services.get(AgentsService);
    const [found] = await agents.named(options.account, agent);
    if (!found) throw new Problem(`The account has no agent ${agent}; \`agents list\` shows all of them.`);
    printRecord(options.json, await agents.find({ accountId, agentId: found.agentId }));
  });
}
