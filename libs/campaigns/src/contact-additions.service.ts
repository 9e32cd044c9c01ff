import type { Acting } from '@app/audit';
import { type EntityTransaction, type IdempotencyKey, IdempotencyRepository } from '@app/database';
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
  ) {}

  /** Throws NotFound, and Conflict when the campaign has ended or the key was used with another body. */
  async add(
    acting: Acting,
    campaignId: number,
    request: { contacts: readonly ContactInput[]; duplicates: DuplicateHandling },
    key?: IdempotencyKey,
  ): Promise<{ additions: ContactAdditions; replayed: boolean }> {
    const add = async (): Promise<ContactAdditions> => {
      const sum = await this.contacts.add(acting, campaignId, request.contacts, request.duplicates);
      const { added, merged, refused } = sum;
      return { added, merged, refused: refused.length, refusals: refused.slice(0, MAX_SHOWN) };
    };
    // The batches are committed one after the other: a repetition after a crash adds the others.
    const keep = (_tx: EntityTransaction, additions: ContactAdditions) => Promise.resolve(additions);
    const { answer, replayed } = await this.idempotency.createOnce(acting.accountId, key, keep, add);
    return { additions: answer, replayed };
  }
}
