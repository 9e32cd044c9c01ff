import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Minutes for the log-in at the issuer. */
const LASTS_MINUTES = 10;
/** A flood of started sign-ins must not fill the database; a real one has a few. */
const MOST = 100_000;
const PURGED_AT_ONCE = 20_000;

interface NewAttempt {
  stateHash: Buffer;
  browserHash: Buffer;
  accountId: number | null;
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

const ADD = {
  name: 'add-sign-in-attempt',
  text: `INSERT INTO sign_in_attempts (state_hash, browser_hash, account_id, issuer, nonce, verifier, place, ends_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, now() + interval '${LASTS_MINUTES} minutes'
    WHERE (SELECT count(*) FROM (SELECT FROM sign_in_attempts LIMIT ${MOST}) open) < ${MOST} RETURNING 1`,
};

// Deleting is what makes a state, its nonce and its code usable once, whichever process gets the second request.
const TAKE = {
  name: 'take-sign-in-attempt',
  text: `WITH taken AS (DELETE FROM sign_in_attempts WHERE state_hash = $1 RETURNING *)
    SELECT account_id, issuer, nonce, verifier, place, browser_hash = $2 AS is_same_browser FROM taken WHERE ends_at > now()`,
};

const PURGE = {
  name: 'purge-sign-in-attempts',
  text: `DELETE FROM sign_in_attempts WHERE state_hash = ANY (ARRAY(
    SELECT state_hash FROM sign_in_attempts WHERE ends_at < now() ORDER BY ends_at LIMIT ${PURGED_AT_ONCE}))`,
};

@Injectable()
export class SignInAttemptsRepository {
  constructor(private readonly database: Database) {}

  /** false: too many sign-ins are open. */
  async add({ stateHash, browserHash, accountId, issuer, nonce, verifier, place }: NewAttempt): Promise<boolean> {
    const values = [stateHash, browserHash, accountId, issuer, nonce, verifier, place];
    return (await this.database.rows(ADD, values)).length > 0;
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
