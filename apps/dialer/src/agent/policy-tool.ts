import type { VoiceTool } from '@app/voice';

/** Asked by the session; its name cannot be one of a tool of an account. */
export const POLICY_TOOL = 'guardrail-policy';

interface PolicyQuestion {
  policy: string;
  on: 'user' | 'agent' | 'tool';
  words: string;
}

/** `judge` runs beside the database and the text model; the session asks it from the thread of the audio. */
export const policyTool = (judge: (question: PolicyQuestion, signal: AbortSignal) => Promise<boolean>): VoiceTool => ({
  name: POLICY_TOOL,
  description: 'Judges words by a policy.',
  parameters: { type: 'object' },
  checksArguments: true,
  run: (args, { signal }) => judge(args as unknown as PolicyQuestion, signal),
});
