import type { Acting } from '@app/audit';
import { Database, type IdempotencyKey, IdempotencyRepository } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CampaignContactsService, type DuplicateHandling } from './campaign-contacts.service.js';
import type { ContactInput, RefusedContact } from './domain/contact-input.js';

/** Refused rows that an answer shows. */
const MAX_SHOWN = 1_000;

/** What became of the contacts of a request. */
interface ContactAdditions {
  added: number;
  merged: number;
  refused: number;
  /** The first ones. */
  refusals: RefusedContact[];
}

/** Adds the contacts of requests, once per Idempotency-Key. */
@Injectable()
export class ContactAdditionsService {
  constructor(
    private readonly contacts: CampaignContactsService,
    private readonly idempotency: IdempotencyRepository,
    private readonly database: Database,
  ) {}

  /** Throws NotFound, and Conflict when the campaign has ended or the key was used with another body. */
  async add(
    acting: Acting,
    campaignId: number,
    request: { contacts: readonly ContactInput[]; duplicates: DuplicateHandling },
    key?: IdempotencyKey,
  ): Promise<{ additions: ContactAdditions; replayed: boolean }> {
    const { accountId } = acting;
    const earlier = key && (await this.idempotency.find(accountId, key));
    if (earlier !== undefined) return { additions: JSON.parse(earlier) as ContactAdditions, replayed: true };
    const { added, merged, refused } = await this.contacts.add(
      acting,
      campaignId,
      request.contacts,
      request.duplicates,
    );
    const additions = { added, merged, refused: refused.length, refusals: refused.slice(0, MAX_SHOWN) };
    if (key) {
      const answer = JSON.stringify(additions);
      const isKept = await this.database.transaction((tx) => this.idempotency.keep(accountId, key, answer, tx));
      const first = isKept ? undefined : await this.idempotency.find(accountId, key);
      if (first !== undefined) return { additions: JSON.parse(first) as ContactAdditions, replayed: true };
    }
    return { additions, replayed: false };
  }
}
