import type { StoredProviderOptions } from '@app/agents';
import { Database, migrationFiles, missingPrivileges, type Privileges } from '@app/database';
import { Injectable } from '@nestjs/common';

const SERVER = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number`;
const CLOCK = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at';
const CONNECTIONS = `SELECT count(*)::integer AS used, current_setting('max_connections')::integer AS most FROM pg_stat_activity`;
const EXTENSIONS = 'SELECT extname AS name FROM pg_extension';
const DIALERS = `SELECT (SELECT count(*)::integer FROM dialers WHERE dead_at IS NULL AND lease_until > now()) AS alive,
    (SELECT count(*)::integer FROM calls WHERE owner IS NOT NULL AND ended_at IS NULL) AS live`;
/** Of the model that was checked last: an earlier model is not used any more. */
const LOSES_BY_EMBEDDER = `SELECT agent_id AS "agentId", model, (count(*) OVER ())::integer AS agents FROM knowledge_embedder_checks
  WHERE outcome = 'worse' AND model = (SELECT model FROM knowledge_embedder_checks WHERE checked_at IS NOT NULL
    ORDER BY checked_at DESC LIMIT 1)
  ORDER BY agent_id LIMIT 1`;

const PAGE = 500;
const ACTIVE_AGENTS = `SELECT id, provider, provider_options - 'script' AS options FROM agents
  WHERE active AND id > $1 ORDER BY id LIMIT $2`;

interface ListedProviders {
  id: number;
  provider: string;
  options: StoredProviderOptions;
}

/** Statements of `trunkline doctor` about the database server, the migrations and the dialers. */
@Injectable()
export class DoctorRepository {
  constructor(private readonly database: Database) {}

  /** `number` is 140005 for PostgreSQL 14.5. */
  async server(): Promise<{ version: string; number: number } | undefined> {
    const [server] = await this.database.rows<{ version: string; number: number }>({ text: SERVER });
    return server;
  }

  /** The server's clock, in ms since 1970. */
  async clock(): Promise<number | undefined> {
    const [row] = await this.database.rows<{ at: number }>({ text: CLOCK });
    return row?.at;
  }

  async connections(): Promise<{ used: number; most: number }> {
    const [row] = await this.database.rows<{ used: number; most: number }>({ text: CONNECTIONS });
    return row ?? { used: 0, most: 1 };
  }

  missingPrivileges(schemas: readonly string[]): Promise<Privileges> {
    return missingPrivileges(this.database.pool, schemas);
  }

  /** Names of the migrations of this release, and of those that the database has run. */
  async migrations(): Promise<{ own: string[]; run: string[] }> {
    const run = await this.database.rows<{ name: string }>({ text: 'SELECT name FROM migrations' });
    return { own: migrationFiles().map(({ name }) => name), run: run.map(({ name }) => name) };
  }

  async extensions(): Promise<string[]> {
    return (await this.database.rows<{ name: string }>({ text: EXTENSIONS })).map(({ name }) => name);
  }

  /** The agents whose searches find less with the embedder than by words alone, and the first of them; undefined: none. */
  async agentsLosingByEmbedder(): Promise<{ agents: number; agentId: number; model: string } | undefined> {
    const [first] = await this.database.rows<{ agents: number; agentId: number; model: string }>({
      text: LOSES_BY_EMBEDDER,
    });
    return first;
  }

  /** In order of their ids; without scripts, which may be long. */
  async *activeAgents(): AsyncGenerator<ListedProviders> {
    let after = 0;
    for (;;) {
      const page = await this.database.rows<ListedProviders>({ text: ACTIVE_AGENTS }, [after, PAGE]);
      yield* page;
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE) return;
    }
  }

  /** Dialers with a lease, and calls that dialers carry. */
  async dialers(): Promise<{ alive: number; live: number }> {
    const [row] = await this.database.rows<{ alive: number; live: number }>({ text: DIALERS });
    return row ?? { alive: 0, live: 0 };
  }
}
