import type { ToolDefinition } from '../providers/voice-provider.js';
import type { SessionSettings } from '../session-options.js';
import type { DigitInput } from './digit-input.js';
import { type ConversationControl, type ToolContext, ToolFailed, type VoiceTool } from './tool-box.js';

/** The tools that act on the conversation itself, as the settings of the agent have them. */
export function sessionTools({ digitInputs = [], recordingConsent }: SessionSettings): VoiceTool[] {
  const collect = digitInputs.length > 0 ? [collectDigitsTool(digitInputs)] : [];
  return recordingConsent?.mode === 'ask' ? [...collect, consentTool] : collect;
}

function conversationOf({ conversation }: ToolContext): ConversationControl {
  if (!conversation) throw new ToolFailed('not_answered', 'The call is not answered.');
  return conversation;
}

/** Name of the tool that collects digits. */
export const COLLECT_DIGITS = 'collect_digits';

const MAX_COLLECTION_MS = 600_000;

const collectDigitsTool = (inputs: readonly DigitInput[]): VoiceTool => ({
  name: COLLECT_DIGITS,
  description: [
    'Asks the caller to enter digits on the telephone and returns them. It speaks the question itself: say nothing about how to enter them. Hidden digits are returned as a value that stands for them; pass it unchanged to a tool. Kinds of digits:',
    ...inputs.map(({ name, description, secure }) => `- ${name}${secure ? ' (hidden)' : ''}${describe(description)}`),
  ].join('\n'),
  parameters: {
    type: 'object',
    properties: { name: { type: 'string', enum: inputs.map(({ name }) => name), description: 'The kind of digits.' } },
    required: ['name'],
    additionalProperties: false,
  },
  waitsForUser: true,
  timeoutMs: MAX_COLLECTION_MS,
  run: async (args, context) => {
    const input = inputs.find(({ name }) => name === args.name);
    if (!input)
      throw new ToolFailed('invalid_arguments', `name must be one of ${inputs.map(({ name }) => name).join(', ')}.`);
    return conversationOf(context).collectDigits(input, context.signal);
  },
});

const describe = (description: string | undefined): string => (description ? `: ${description}` : '');

/** Name of the tool that takes the answer to the question for consent. */
export const RECORDING_CONSENT_TOOL = 'recording_consent';

/** The answer in words to the question whether the call may be recorded. */
const consentTool: VoiceTool = {
  name: RECORDING_CONSENT_TOOL,
  description:
    'Reports whether the caller agrees to the recording of this call. Call it only when you were told that the caller is being asked.',
  parameters: {
    type: 'object',
    properties: { agrees: { type: 'boolean', description: 'true for a clear yes, false for anything else.' } },
    required: ['agrees'],
    additionalProperties: false,
  },
  run: async ({ agrees }, context) => {
    conversationOf(context).answerConsent(agrees === true);
    return { recorded: agrees === true };
  },
};

/** A pause by the agent ends by itself: a model forgets. */
const MAX_PAUSE_SECONDS = 600;
export const USUAL_PAUSE_SECONDS = 300;

/** The tools of agents that may pause the recording; their implementation depends on where the call runs. */
export const PAUSE_RECORDING_TOOL: ToolDefinition = {
  name: 'pause_recording',
  description:
    'Pauses the recording and the transcript of this call, before the caller says something that must not be stored. Call resume_recording afterwards.',
  parameters: {
    type: 'object',
    properties: {
      seconds: {
        type: 'integer',
        minimum: 10,
        maximum: MAX_PAUSE_SECONDS,
        description: `The pause ends by itself after this time; ${USUAL_PAUSE_SECONDS} by default.`,
      },
    },
    additionalProperties: false,
  },
};

export const RESUME_RECORDING_TOOL: ToolDefinition = {
  name: 'resume_recording',
  description: 'Continues the recording and the transcript of this call.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};
