import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { PersonEntity } from './person.entity.js';

/** A person as the issuer describes them. */
export interface PersonIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
}

/** Persons of one e-mail address: an address can move to another subject. */
const MAX_OF_ADDRESS = 100;
const PURGED_AT_ONCE = 2_000;

// Requests with access tokens. The row is written only when something changed, or once an hour.
const KEEP = {
  name: 'keep-person',
  text: `WITH kept AS (
      INSERT INTO people (account_id, issuer, subject, email, name) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (account_id, issuer, subject) DO UPDATE
        SET email = coalesce(EXCLUDED.email, people.email), name = coalesce(EXCLUDED.name, people.name), seen_at = now()
        WHERE people.seen_at < now() - interval '1 hour'
          OR coalesce(EXCLUDED.email, people.email) IS DISTINCT FROM people.email
          OR coalesce(EXCLUDED.name, people.name) IS DISTINCT FROM people.name
      RETURNING id)
    SELECT id FROM kept
    UNION ALL SELECT id FROM people WHERE account_id = $1 AND issuer = $2 AND subject = $3 LIMIT 1`,
};

// People with a session stay, because the session names them.
const PURGE = {
  name: 'purge-people',
  text: `DELETE FROM people WHERE id = ANY (ARRAY(
    SELECT p.id FROM people p WHERE p.seen_at < now() - make_interval(days => $1)
      AND NOT EXISTS (SELECT FROM sessions s WHERE s.person_id = p.id) ORDER BY p.seen_at LIMIT ${PURGED_AT_ONCE}))`,
};

@Injectable()
export class PeopleRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(PersonEntity) private readonly people: Repository<PersonEntity>,
  ) {}

  /** Stores a person of an account. @returns the id */
  async keep(accountId: number, { issuer, subject, email, name }: PersonIdentity): Promise<number> {
    const [row] = await this.database.rows<{ id: number }>(KEEP, [accountId, issuer, subject, email, name]);
    // Another request inserted the row at the same moment: this statement does not see it, the next one does.
    return row?.id ?? this.keep(accountId, { issuer, subject, email, name });
  }

  named(ids: readonly number[]): Promise<PersonEntity[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.people.findBy({ id: In(ids) });
  }

  /** The ids of the people with an address, which is compared in lower case. */
  async idsOf(email: string, accountId: number | undefined): Promise<number[]> {
    const where = { email: email.toLowerCase(), ...(accountId === undefined ? {} : { accountId }) };
    const found = await this.people.find({ where, select: { id: true }, take: MAX_OF_ADDRESS });
    return found.map(({ id }) => id);
  }

  /** Deletes people who were not seen for `days`, 2,000 at most. */
  async purge(days: number): Promise<void> {
    await this.database.rows(PURGE, [days]);
  }
}
