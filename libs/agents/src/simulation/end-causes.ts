import type { EndCause } from '@app/voice';

const CAUSES: Record<EndCause, true> = {
  agent_hangup: true,
  answering_machine: true,
  message_left: true,
  normal_clearing: true,
  max_duration: true,
  agent_provider_error: true,
  media_timeout: true,
  session_expired: true,
  transferred: true,
  cancelled: true,
  drained: true,
};

/** Every cause that a conversation can end with. */
export const END_CAUSES = Object.keys(CAUSES) as EndCause[];
