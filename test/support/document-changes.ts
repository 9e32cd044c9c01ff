import { EventEmitter, once } from 'node:events';
import { Client, type Pool } from 'pg';

/** A trigger that notifies every change of a knowledge base's status, stage or generation. */
const NOTIFY_CHANGES = `
  CREATE OR REPLACE FUNCTION notify_document() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('documents', json_build_object('id', NEW.id, 'status', NEW.status, 'stage', NEW.stage,
      'attempt', NEW.attempt)::text);
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER notify_document AFTER UPDATE ON knowledge_bases FOR EACH ROW
    WHEN ((OLD.status, OLD.stage, OLD.generation) IS DISTINCT FROM (NEW.status, NEW.stage, NEW.generation))
    EXECUTE FUNCTION notify_document()`;

export interface DocumentChange {
  id: number;
  status: string;
  stage: string | null;
  attempt: number;
}

/** Waits for states of knowledge bases by notifications of the database, without polling. */
export class DocumentChanges {
  private readonly news = new EventEmitter();

  private constructor(
    private readonly client: Client,
    private readonly pool: Pick<Pool, 'query'>,
  ) {
    this.news.setMaxListeners(0);
    client.on('notification', ({ payload = '{}' }) => this.news.emit('news', JSON.parse(payload)));
    client.on('error', (error) => this.news.emit('error', error));
  }

  static async subscribe(url: string): Promise<DocumentChanges> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(NOTIFY_CHANGES);
    await client.query('LISTEN documents');
    return new DocumentChanges(client, client);
  }

  /** The next matching change. Call it before the change is caused. One packet may contain several changes, and a loop around `once` would miss some. */
  next(fits: (news: DocumentChange) => boolean): Promise<DocumentChange> {
    return new Promise((resolve) => {
      const look = (news: DocumentChange): void => {
        if (!fits(news)) return;
        this.news.off('news', look);
        resolve(news);
      };
      this.news.on('news', look);
    });
  }

  /** Resolves when none of them is pending or processing. */
  async ended(ids: readonly number[]): Promise<void> {
    const text = `SELECT id FROM knowledge_bases WHERE id = ANY ($1) AND status IN ('pending', 'processing')`;
    for (;;) {
      const change = once(this.news, 'news');
      const open = await this.pool.query(text, [ids]);
      if (open.rowCount === 0) return void change.catch(() => undefined);
      await change;
    }
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
