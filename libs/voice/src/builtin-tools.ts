import { ToolFailed, type VoiceTool } from './tool-box.js';
import type { ToolDefinition } from './providers/voice-provider.js';

/** Searches the knowledge bases of the agent. The sandbox agent calls the tool by this name. */
export const KNOWLEDGE_TOOL = 'search_knowledge_base';

const LONGEST_DIGITS = 64;

const endCallTool: VoiceTool = {
  name: 'end_call',
  description: 'Ends the phone call after everything you said has been heard. Say goodbye before you call it.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', description: 'Why the call is over, in a few words.' } },
    additionalProperties: false,
  },
  run: async (_args, context) => {
    context.control.endCall();
    return { ending: true };
  },
};

const sendDtmfTool: VoiceTool = {
  name: 'send_dtmf',
  description: 'Presses keys of the telephone, for example to go through a menu of the other side.',
  parameters: {
    type: 'object',
    properties: { digits: { type: 'string', pattern: '^[0-9*#]{1,64}$', description: 'Keys in order: 0-9, * and #.' } },
    required: ['digits'],
    additionalProperties: false,
  },
  // 64 keys of 100 ms with gaps of 300 ms take 25.6 s.
  timeoutMs: 30_000,
  run: async (args, context) => {
    const { digits } = args;
    if (typeof digits !== 'string' || digits.length > LONGEST_DIGITS || !/^[0-9*#]+$/.test(digits)) {
      throw new ToolFailed('invalid_arguments', 'digits must be 1 to 64 of the keys 0-9, * and #.');
    }
    await context.control.sendDtmf(digits);
    return { sent: digits };
  },
};

/** The tools of every agent. */
export const BUILTIN_TOOLS: VoiceTool[] = [endCallTool, sendDtmfTool];

/** The tool of agents that may transfer calls; its implementation depends on where the call runs. */
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
