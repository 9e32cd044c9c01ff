import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Of the model that was checked last: an earlier model is not used any more. */
const LOSSES = {
  text: `SELECT agent_id AS "agentId", model, (count(*) OVER ())::integer AS agents FROM knowledge_embedder_checks
    WHERE outcome = 'worse' AND model = (SELECT model FROM knowledge_embedder_checks WHERE checked_at IS NOT NULL
      ORDER BY checked_at DESC LIMIT 1)
    ORDER BY agent_id LIMIT 1`,
};

interface EmbedderLosses extends Record<string, unknown> {
  agents: number;
  /** The first one. */
  agentId: number;
  model: string;
}

/** Agents whose searches find less with the embedder than by words alone. */
@Injectable()
export class EmbedderLossesRepository {
  constructor(private readonly database: Database) {}

  /** undefined: there is none. */
  async find(): Promise<EmbedderLosses | undefined> {
    const [losses] = await this.database.rows<EmbedderLosses>(LOSSES);
    return losses;
  }
}
