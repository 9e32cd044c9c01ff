import { DEFAULT_TIMEOUT_SECONDS, type NewAction, type NewTool, NO_PARAMETERS, type ToolChanges } from '@app/tools';
import type { CreateToolDto } from './create-tool.dto.js';
import type { UpdateToolDto } from './update-tool.dto.js';
import type { CreateWebhookActionDto } from './webhook-action.dto.js';

export const toNewTool = (body: CreateToolDto): NewTool => ({
  name: body.name,
  description: body.description,
  isActive: body.is_active ?? true,
  parameters: body.parameters ?? NO_PARAMETERS,
  actions: (body.webhook_actions ?? []).map(toNewAction),
});

export const toToolChanges = (body: UpdateToolDto): ToolChanges => ({
  name: body.name ?? undefined,
  description: body.description ?? undefined,
  isActive: body.is_active ?? undefined,
  parameters: body.parameters ?? undefined,
  actions: body.webhook_actions ? body.webhook_actions.map(toNewAction) : undefined,
});

const toNewAction = (given: CreateWebhookActionDto): NewAction => ({
  name: given.name,
  url: given.url,
  method: given.method ?? 'POST',
  payload: given.payload ?? null,
  headers: given.headers ?? null,
  queryParams: given.query_params ?? null,
  waitResponse: given.wait_response ?? true,
  timeoutMs: (given.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
});
