import type { ContactOutcome, ContactStatus, StoredReason } from './campaign.js';

/** The columns of a contact that progress counts. */
export interface CountedContact {
  status: ContactStatus;
  outcome: ContactOutcome | null;
  reason: StoredReason | null;
}

/** Changes of `campaign_progress` by key, collected over a transaction. */
export class ProgressChanges {
  readonly byKey = new Map<string, number>();

  /** undefined: the contact is new. */
  moved(before: CountedContact | undefined, after: CountedContact): void {
    if (before) this.count(before, -1);
    this.count(after, 1);
  }

  added(contact: CountedContact, contacts = 1): void {
    this.count(contact, contacts);
  }

  private count({ status, outcome, reason }: CountedContact, contacts: number): void {
    this.add(status, contacts);
    if (outcome) this.add(`outcome:${outcome}`, contacts);
    if (reason) this.add(`reason:${reason}`, contacts);
  }

  private add(key: string, contacts: number): void {
    this.byKey.set(key, (this.byKey.get(key) ?? 0) + contacts);
  }
}
