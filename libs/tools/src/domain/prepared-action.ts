import { newId, type Encryption } from '@app/common';
import { decryptActionHeaders } from './action-headers.js';
import type { AgentTool, ToolAction } from './tool.js';
import { type ActionRequest, actionRequest, UnusableRequest } from './action-request.js';
import type { InvocationContext } from './invocation.js';
import type { TemplateScope } from './template.js';

/** An action whose request is made, or could not be. */
export interface PreparedAction {
  id: string;
  position: number;
  action: ToolAction;
  request: ActionRequest | UnusableRequest;
}

/** The requests of a tool, in list order. Throws when headers were sealed with another SECRET_KEY. */
export function prepareActions(
  encryption: Encryption,
  tool: AgentTool,
  args: Record<string, unknown>,
  context: InvocationContext,
): PreparedAction[] {
  const scope = scopeOf(args, context);
  return tool.actions.map((action, index) => {
    const headers = decryptActionHeaders(encryption, action).map(({ key, value }) => ({ key, value }));
    return { id: newId(), position: index + 1, action, request: requestOf(action, headers, { tool, scope }) };
  });
}

/** `call_id` is how the API and the default body name it. */
const scopeOf = (args: Record<string, unknown>, { call, metadata, agent }: InvocationContext): TemplateScope => ({
  args,
  call: call && { ...call, call_id: call.id },
  metadata,
  agent,
});

function requestOf(...given: Parameters<typeof actionRequest>): PreparedAction['request'] {
  try {
    return actionRequest(...given);
  } catch (error) {
    if (error instanceof UnusableRequest) return error;
    throw error;
  }
}
