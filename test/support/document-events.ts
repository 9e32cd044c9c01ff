import { EventEmitter, once } from 'node:events';
import { Client, type Pool } from 'pg';

/** Notifies about every change of a knowledge base's status or stage. */
const NOTIFY = `
  CREATE OR REPLACE FUNCTION notify_document() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('documents', json_build_object('id', NEW.id, 'status', NEW.status, 'stage', NEW.stage,
      'attempt', NEW.attempt)::text);
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER notify_document AFTER UPDATE ON knowledge_bases FOR EACH ROW
    WHEN ((OLD.status, OLD.stage, OLD.generation) IS DISTINCT FROM (NEW.status, NEW.stage, NEW.generation))
    EXECUTE FUNCTION notify_document()`;

export interface DocumentEvent {
  id: number;
  status: string;
  stage: string | null;
  attempt: number;
}

/** Waits for states of knowledge bases by notifications of the database, without polling. */
export class DocumentEvents {
  private readonly emitter = new EventEmitter();

  private constructor(
    private readonly client: Client,
    private readonly pool: Pick<Pool, 'query'>,
  ) {
    this.emitter.setMaxListeners(0);
    client.on('notification', ({ payload = '{}' }) => this.emitter.emit('change', JSON.parse(payload)));
    client.on('error', (error) => this.emitter.emit('error', error));
  }

  static async subscribe(url: string): Promise<DocumentEvents> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(NOTIFY);
    await client.query('LISTEN documents');
    return new DocumentEvents(client, client);
  }

  /** The next matching event. Call it before the cause. Several events may arrive in one packet: a loop around `once` would miss some. */
  next(fits: (event: DocumentEvent) => boolean): Promise<DocumentEvent> {
    return new Promise((resolve) => {
      const look = (event: DocumentEvent): void => {
        if (!fits(event)) return;
        this.emitter.off('change', look);
        resolve(event);
      };
      this.emitter.on('change', look);
    });
  }

  /** Resolves when none of the knowledge bases is pending or processing. */
  async ended(ids: readonly number[]): Promise<void> {
    const text = `SELECT id FROM knowledge_bases WHERE id = ANY ($1) AND status IN ('pending', 'processing')`;
    for (;;) {
      const change = once(this.emitter, 'change');
      const open = await this.pool.query(text, [ids]);
      if (open.rowCount === 0) return void change.catch(() => undefined);
      await change;
    }
  }

  /** The lease of a dead worker expires after a minute. */
  async expireLeases(): Promise<void> {
    await this.pool.query(
      `UPDATE knowledge_bases SET lease_until = now() - interval '1 s' WHERE status = 'processing'`,
    );
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
