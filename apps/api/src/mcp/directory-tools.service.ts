import { AgentsService } from '@app/agents';
import { NumbersService, TrunksService } from '@app/accounts';
import { KnowledgeSearchService } from '@app/knowledge';
import { Injectable } from '@nestjs/common';
import { AgentWarningsService } from '../agents/agent-warnings.service.js';
import { PageQueryDto } from '../http/responses/pagination.js';
import { LIMIT, passageOf, queriesOf, SearchDto } from '../knowledge-bases/search.dto.js';
import {
  AN_ID,
  asQuery,
  dtoOf,
  type McpCaller,
  objectOf,
  READS,
  RECORDS,
  resultOf,
  type ServedTool,
} from './served-tool.js';

const PER_PAGE = 50;
const PAGE = objectOf({
  page: { ...AN_ID, description: 'Page of the list, from 1.' },
  per_page: { type: 'integer', minimum: 1, maximum: 100 },
});
const TOTAL = { type: 'integer', description: 'Number of all.' };

type Args = Record<string, unknown>;
type List = (accountId: number, place: { page: number; perPage: number }) => Promise<Args>;

/** The tools for what calls are placed with, and for the knowledge of agents. */
@Injectable()
export class DirectoryToolsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly warnings: AgentWarningsService,
    private readonly numbers: NumbersService,
    private readonly trunks: TrunksService,
    private readonly knowledge: KnowledgeSearchService,
  ) {}

  readonly tools: readonly ServedTool[] = [
    {
      ...listTool(
        'agents',
        'the voice agents of the account, by name, and in `warnings` which of them cannot work and why',
        (...place) => this.warnedAgents(...place),
      ),
      scope: 'agents:read',
    },
    {
      ...listTool('numbers', 'the phone numbers of the account, by name', (...place) => this.numbers.list(...place)),
      scope: 'numbers:read',
    },
    {
      ...listTool('trunks', 'the SIP trunks of the account with their health, by name', (...place) =>
        this.trunks.list(...place),
      ),
      scope: 'trunks:read',
    },
    {
      name: 'search_knowledge',
      title: 'Search knowledge',
      description: 'Searches the knowledge bases of an agent and returns passages with their sources, best first.',
      scope: 'knowledge:read',
      inputSchema: objectOf(
        {
          agent_id: { ...AN_ID, description: 'The agent whose knowledge bases are searched, see list_agents.' },
          query: { type: 'string', description: 'A question or keywords in any language.' },
          limit: { type: 'integer', description: 'Maximum number of passages; 5 by default.' },
          knowledge_base_ids: { type: 'array', items: AN_ID, description: 'Only these knowledge bases.' },
        },
        ['agent_id', 'query'],
      ),
      outputSchema: resultOf({ passages: RECORDS }),
      annotations: READS,
      run: (args, caller) => this.search(args, caller),
    },
  ];

  private async warnedAgents(...[accountId, place]: Parameters<List>): Promise<Args> {
    const list = await this.agents.list(accountId, place);
    return { ...list, ...(await this.warnings.ofList(accountId, list.agents)) };
  }

  private async search({ agent_id: agentId, ...args }: Args, { who, signal }: McpCaller): Promise<Args> {
    const search = await dtoOf(SearchDto, args);
    const agent = { accountId: who.accountId, agentId: agentId as number, knowledgeBaseIds: search.knowledge_base_ids };
    const options = { limit: search.limit ?? LIMIT, signal };
    const found = await this.knowledge.searchExisting(agent, queriesOf(search), options);
    return { passages: found.map(passageOf) };
  }
}

/** A tool that returns a page of `things` and their number. */
const listTool = (things: string, what: string, list: List): Omit<ServedTool, 'scope'> => ({
  name: `list_${things}`,
  title: `List ${things}`,
  description: `Returns ${what}, 50 at a time.`,
  inputSchema: PAGE,
  outputSchema: resultOf({ [things]: RECORDS, total: TOTAL }),
  annotations: READS,
  run: async (args, { who }) => {
    const { page = 1, per_page: perPage = PER_PAGE } = await dtoOf(PageQueryDto, asQuery(args));
    return list(who.accountId, { page, perPage });
  },
});
