import type { CallEndedBy } from '@app/calls';
import type { LegEnd } from '@app/telephony';
import type { SessionEnd } from '@app/voice';

/** The conversation at the end of its leg. */
interface EndedConversation {
  /** Undefined: no agent talked. */
  end?: SessionEnd;
  isHandedOver: boolean;
}

/** A hangup after the agent has left ends a call that was handed over, and one after its message leaves that message. */
export function causeOf(end: LegEnd, { end: left, isHandedOver }: EndedConversation): LegEnd['cause'] {
  if (end.cause !== 'normal_clearing') return end.cause;
  if (isHandedOver) return 'transferred';
  return left?.cause === 'message_left' ? 'message_left' : end.cause;
}

/** For the agent the remote party is the `callee` in both directions. */
export const enderOf = (
  call: { direction: 'inbound' | 'outbound' },
  end: LegEnd,
  left: SessionEnd | undefined,
): CallEndedBy =>
  left?.cause === end.cause && left.endedBy !== 'callee' ? left.endedBy : enderOfLeg(call.direction, end);

/** On our side only the API hangs up, which counts as a cancellation; engines name our side by the direction of the call. */
const enderOfLeg = (direction: 'inbound' | 'outbound', { endedBy }: LegEnd): CallEndedBy =>
  endedBy === (direction === 'inbound' ? 'callee' : 'caller') ? 'api' : endedBy;
