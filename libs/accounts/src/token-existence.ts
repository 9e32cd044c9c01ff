import { rows } from '@app/database';
import type { Pool } from 'pg';

/** Live ones among some hashes. */
const EXISTING = {
  name: 'existing-tokens',
  text: `SELECT token_hash FROM api_tokens
    WHERE token_hash = ANY ($1::bytea[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};
const MOST_AT_ONCE = 500;

interface Question {
  hash: Buffer;
  resolve: (exists: boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * Whether tokens exist, one statement of this process at a time for all that wait: a flood of invented tokens costs one
 * connection, and a valid token among them waits for two statements at most per 500 of them.
 */
export class TokenExistence {
  private waiting: Question[] = [];
  private isAsking = false;

  constructor(private readonly pool: Pool) {}

  of(hash: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ hash, resolve, reject });
      if (!this.isAsking) void this.askAll();
    });
  }

  /** Never rejects: each question has its answer or its error. */
  private async askAll(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.length > 0) await this.ask(this.waiting.splice(0, MOST_AT_ONCE));
    this.isAsking = false;
  }

  private async ask(questions: Question[]): Promise<void> {
    try {
      const hashes = questions.map(({ hash }) => hash);
      const found = await rows<{ token_hash: Buffer }>(this.pool, EXISTING, [hashes]);
      const existing = new Set(found.map(({ token_hash: hash }) => hash.toString('base64')));
      for (const { hash, resolve } of questions) resolve(existing.has(hash.toString('base64')));
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }
}
