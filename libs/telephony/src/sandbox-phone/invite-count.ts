/** Enough for a load test; the oldest are forgotten first. */
const MAX_KEYS = 100_000;

/**
 * How many INVITE dialogs began, so that a test can show that nothing was dialled twice. Retransmissions do not count: they belong to
 * the same transaction and never reach the phone.
 */
export class InviteCount {
  total = 0;
  readonly byUser = new Map<string, number>();
  readonly byFrom = new Map<string, number>();
  readonly byCallId = new Map<string, number>();
  /** Value of the header the phone was told to count by. */
  readonly byHeader = new Map<string, number>();

  add(invite: { user: string; from: string; callId: string; header: string | undefined }): void {
    this.total++;
    increment(this.byUser, invite.user);
    increment(this.byFrom, invite.from);
    increment(this.byCallId, invite.callId);
    if (invite.header !== undefined) increment(this.byHeader, invite.header);
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value as string);
}
