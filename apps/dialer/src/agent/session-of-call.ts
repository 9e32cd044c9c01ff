import {
  consentSettings,
  conversationSettings,
  digitSettings,
  disclosureFor,
  guardrailSettings,
  numberIn,
  systemPrompt,
} from '@app/agents';
import type { AnsweringMachineSettings, CallContext as SessionCall, SessionSettings } from '@app/voice';
import type { CallContext } from '../call/call-context.service.js';
import { consentFor } from '../media/recording-consent.js';

/** The settings of the agent's session on a call. */
export const settingsOf = (context: CallContext): SessionSettings => ({
  agent: {
    name: context.agent_name,
    instructions: systemPrompt(context.instructions, includedKnowledge(context), context.values),
    greeting: context.greeting,
    language: context.conversation?.language,
  },
  ...conversationSettings(context.conversation),
  maxCallSeconds: context.max_call_seconds,
  answeringMachine: screeningOf(context),
  digitInputs: digitSettings(context.digit_inputs),
  recordingConsent: consentSettings(consentFor(context)),
  guardrails: guardrailSettings(context.guardrails),
  disclosure: disclosureFor(context.disclosure, {
    language: context.conversation?.language,
    number: numberIn(context.direction === 'inbound' ? context.from_number : context.to_number),
  }),
});

/** The knowledge that the instructions may contain: steps with knowledge bases of their own search in them. */
const includedKnowledge = ({ knowledge, flow }: CallContext): CallContext['knowledge'] =>
  flow?.steps.some((step) => step.knowledge_base_ids) ? undefined : knowledge;

/** Only the called party may be a machine. */
function screeningOf({ direction, answering_machine: stored }: CallContext): AnsweringMachineSettings | undefined {
  if (direction === 'inbound' || !stored?.detect) return undefined;
  return {
    onMachine: stored.on_machine,
    message: stored.message,
    waitForBeepSeconds: stored.wait_for_beep_seconds,
    onScreening: stored.on_screening,
    screeningMessage: stored.screening_message,
    onIvr: stored.on_ivr,
  };
}

/** The call, as tools and providers see it. */
export const sessionCall = (context: CallContext): SessionCall => ({
  callId: context.id,
  direction: context.direction,
  to: context.to_number,
  from: context.from_number,
  metadata: context.metadata,
});
