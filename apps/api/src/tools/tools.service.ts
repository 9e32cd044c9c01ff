import type { Acting } from '@app/audit';
import { InvalidFields } from '@app/common';
import type { UrlRules } from '@app/egress';
import type { IdempotencyKey } from '@app/database';
import {
  actionProblems,
  type AgentOfAccount,
  createTool,
  type CreatedTool,
  DEFAULT_TIMEOUT_SECONDS,
  deleteTool,
  findTool,
  type NewAction,
  NO_PARAMETERS,
  pageOfTools,
  type ToolFilter,
  type ToolParts,
  type ToolView,
  toolView,
  updateTool,
} from '@app/tools';
import type { CreateToolDto } from './create-tool.dto.js';
import type { UpdateToolDto } from './update-tool.dto.js';
import type { CreateWebhookActionDto } from './webhook-action.dto.js';

export interface ToolServiceParts extends ToolParts {
  urlRules: UrlRules;
}

/** The tools of an account's agents, with what this process has to do it with. */
export class ToolsService {
  constructor(private readonly parts: ToolServiceParts) {}

  create(agent: AgentOfAccount & Acting, body: CreateToolDto, key?: IdempotencyKey): Promise<CreatedTool> {
    const tool = {
      name: body.name,
      description: body.description,
      isActive: body.is_active ?? true,
      parameters: body.parameters ?? NO_PARAMETERS,
      actions: this.permitted(body.webhook_actions ?? []),
    };
    return createTool(this.parts, agent, tool, key);
  }

  async find(agent: AgentOfAccount, id: number): Promise<ToolView> {
    return toolView(await findTool(this.parts.pool, agent, id), this.parts.encryption);
  }

  async page(agent: AgentOfAccount, filter: ToolFilter, place: { page: number; perPage: number }) {
    const { tools, total } = await pageOfTools(this.parts.pool, agent, filter, place);
    return { tools: tools.map((tool) => toolView(tool, this.parts.encryption)), total };
  }

  async update(agent: AgentOfAccount & Acting, id: number, body: UpdateToolDto): Promise<ToolView> {
    const changes = {
      name: body.name ?? undefined,
      description: body.description ?? undefined,
      isActive: body.is_active ?? undefined,
      parameters: body.parameters ?? undefined,
      actions: body.webhook_actions ? this.permitted(body.webhook_actions) : undefined,
    };
    return toolView(await updateTool(this.parts, agent, id, changes), this.parts.encryption);
  }

  delete(agent: AgentOfAccount & Acting, id: number): Promise<void> {
    return deleteTool(this.parts.pool, agent, id);
  }

  /** Throws InvalidFields when a request could not be made. */
  private permitted(given: readonly CreateWebhookActionDto[]): NewAction[] {
    const actions = given.map(actionOf);
    const problems = actionProblems(actions, this.parts.urlRules);
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
    return actions;
  }
}

const actionOf = (given: CreateWebhookActionDto): NewAction => ({
  name: given.name,
  url: given.url,
  method: given.method ?? 'POST',
  payload: given.payload ?? null,
  headers: given.headers ?? null,
  queryParams: given.query_params ?? null,
  waitResponse: given.wait_response ?? true,
  timeoutMs: (given.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
});
