import type { StoredConversation } from '@app/accounts';
import type { SessionSettings } from '@app/voice';

type Spoken = Pick<SessionSettings, 'idle' | 'bargeIn' | 'phrases'>;

/** What an agent's `conversation` says; what is absent there is absent here, and has the default of its part. */
export function conversationSettings(stored: StoredConversation | null): Spoken {
  const { idle = {}, barge_in: bargeIn = {}, phrases = {} } = stored ?? {};
  const afterMs = idle.after_seconds === undefined ? undefined : idle.after_seconds * 1_000;
  return {
    idle: given({ afterMs, prompts: idle.prompts }),
    bargeIn: given({ duckMs: bargeIn.duck_ms, interruptMs: bargeIn.interrupt_ms, guardMs: bargeIn.guard_ms }),
    phrases: given(phrases),
  };
}

/** An undefined would hide the default. */
const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
