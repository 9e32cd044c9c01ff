import type { ToolDefinition } from './providers/voice-provider.js';

/** The built-in tool of an agent that may transfer calls; what it does depends on where the call is. */
export const TRANSFER_TOOL: ToolDefinition = {
  name: 'call_transfer',
  description:
    'Transfers the phone call to a colleague. Say that you are connecting the caller before you call it. When nobody can take the call you get an error and go on talking.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', description: 'Why the call is transferred, in a few words.' } },
    additionalProperties: false,
  },
};
