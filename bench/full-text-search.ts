import type { Pool } from 'pg';

/** PostgreSQL's full-text search as the peer: any of the query's words (`|`), ranked by ts_rank. */
export class FullTextSearch {
  private constructor(
    private readonly pool: Pool,
    private readonly table: string,
    private readonly configuration: string,
    /** Normalisation of ts_rank; 0: none; 1: by document length. */
    private readonly normalization: 0 | 1,
  ) {}

  /** A separate table with a GIN index that contains only these texts. */
  static async over(
    pool: Pool,
    table: string,
    texts: Iterable<string>,
    configuration: string,
    normalization: 0 | 1 = 1,
  ): Promise<FullTextSearch> {
    await pool.query(`CREATE TABLE ${table} (id integer PRIMARY KEY, text text NOT NULL, words tsvector NOT NULL)`);
    const insert = `INSERT INTO ${table} SELECT o.n - 1 + $3, o.text, to_tsvector($1, o.text)
      FROM unnest($2::text[]) WITH ORDINALITY AS o (text, n)`;
    let batch: string[] = [];
    let written = 0;
    const write = async (): Promise<void> => {
      await pool.query(insert, [configuration, batch, written]);
      written += batch.length;
      batch = [];
    };
    for (const text of texts) if (batch.push(text) === 1_000) await write();
    await write();
    await pool.query(`CREATE INDEX ON ${table} USING gin (words)`);
    await pool.query(`ANALYZE ${table}`);
    return new FullTextSearch(pool, table, configuration, normalization);
  }

  with(normalization: 0 | 1): FullTextSearch {
    return new FullTextSearch(this.pool, this.table, this.configuration, normalization);
  }

  /** The texts and their numbers, best first. */
  async search(query: string, limit: number): Promise<{ id: number; text: string }[]> {
    const text = `SELECT id, text FROM ${this.table}, ${anyWord('$2')} AS q (query) WHERE words @@ q.query
      ORDER BY ts_rank(words, q.query, ${this.normalization}) DESC, id LIMIT $3`;
    const name = `fts-${this.table}-${this.normalization}`;
    return (
      await this.pool.query<{ id: number; text: string }>({ name, text, values: [this.configuration, query, limit] })
    ).rows;
  }

  /** The numbers of the ten best texts for each query. */
  async searchAll(queries: string[]): Promise<number[][]> {
    const text = `SELECT ARRAY(SELECT id FROM ${this.table}, ${anyWord('a.text')} AS q (query) WHERE words @@ q.query
        ORDER BY ts_rank(words, q.query, ${this.normalization}) DESC, id LIMIT 10) AS ids
      FROM unnest($2::text[]) WITH ORDINALITY AS a (text, n) ORDER BY a.n`;
    return (await this.pool.query<{ ids: number[] }>(text, [this.configuration, queries])).rows.map(({ ids }) => ids);
  }
}

const anyWord = (text: string): string =>
  `LATERAL (SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery FROM unnest(to_tsvector($1::text::regconfig, ${text})))`;
