import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Minutes for the log-in at the issuer. */
const LASTS_MINUTES = 10;
/** Open sign-ins of one address (IPv6: /64). An office behind one address has a few at a time, because a log-in takes a minute. */
const MAX_OF_ADDRESS = 300;
/** Open sign-ins of one organisation. The oldest ones make room, so that a flood from many addresses blocks nothing after its end. */
const MAX_OF_ORGANISATION = 5_000;
const PURGED_AT_ONCE = 20_000;

interface NewAttempt {
  stateHash: Buffer;
  browserHash: Buffer;
  accountId: number | null;
  address: string;
  issuer: string;
  nonce: string;
  verifier: string;
  place: string;
}

interface TakenAttempt extends Record<string, unknown> {
  account_id: number | null;
  issuer: string;
  nonce: string;
  verifier: string;
  place: string;
  is_same_browser: boolean;
}

// Without a name, so that each run is planned for the size that the table has now: a plan that was kept from an almost empty table
// compares every row with every evicted one.
const add = (isOfOrganisation: string) => ({
  text: `WITH evicted AS (
      DELETE FROM sign_in_attempts WHERE state_hash = ANY (ARRAY(
        SELECT state_hash FROM sign_in_attempts WHERE ${isOfOrganisation}
        ORDER BY ends_at DESC OFFSET ${MAX_OF_ORGANISATION - 1} FOR UPDATE SKIP LOCKED)))
    INSERT INTO sign_in_attempts (state_hash, browser_hash, account_id, issuer, nonce, verifier, place, address, ends_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, now() + interval '${LASTS_MINUTES} minutes'
    WHERE (SELECT count(*) FROM (
      SELECT FROM sign_in_attempts WHERE address = $8 AND ends_at > now() LIMIT ${MAX_OF_ADDRESS}) open) < ${MAX_OF_ADDRESS}
    RETURNING 1`,
});
// Two statements: an index finds no rows by IS NOT DISTINCT FROM.
const ADD = add('account_id = $3');
const ADD_OF_INSTALLATION = add('$3::integer IS NULL AND account_id IS NULL');

// Deleting is what makes a state, its nonce and its code usable once, whichever process gets the second request.
const TAKE = {
  name: 'take-sign-in-attempt',
  text: `WITH taken AS (DELETE FROM sign_in_attempts WHERE state_hash = $1 RETURNING *)
    SELECT account_id, issuer, nonce, verifier, place, browser_hash = $2 AS is_same_browser FROM taken WHERE ends_at > now()`,
};

// Without a name, as above.
const PURGE = {
  text: `DELETE FROM sign_in_attempts WHERE state_hash = ANY (ARRAY(
    SELECT state_hash FROM sign_in_attempts WHERE ends_at < now() ORDER BY ends_at LIMIT ${PURGED_AT_ONCE}))`,
};

@Injectable()
export class SignInAttemptsRepository {
  constructor(private readonly database: Database) {}

  /** false: too many sign-ins of the address are open. */
  async add(attempt: NewAttempt): Promise<boolean> {
    const { stateHash, browserHash, accountId, address, issuer, nonce, verifier, place } = attempt;
    const values = [stateHash, browserHash, accountId, issuer, nonce, verifier, place, address];
    return (await this.database.rows(accountId === null ? ADD_OF_INSTALLATION : ADD, values)).length > 0;
  }

  /** Takes the sign-in of a state: a second call finds nothing. undefined: unknown, used, expired, or of another browser. */
  async take(stateHash: Buffer, browserHash: Buffer): Promise<TakenAttempt | undefined> {
    const [taken] = await this.database.rows<TakenAttempt>(TAKE, [stateHash, browserHash]);
    return taken?.is_same_browser ? taken : undefined;
  }

  /** Deletes ended ones, 20,000 at most. */
  async purge(): Promise<void> {
    await this.database.rows(PURGE, []);
  }
}
