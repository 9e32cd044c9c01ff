import { isUuid, NotFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import { CallEventsRepository, type TranscribedCall } from '../events/call-events.repository.js';
import { CallLinksService, type LinkProof } from './call-links.service.js';
import { transcriptTurn, type TranscriptTurn } from '../presenters/call.presenter.js';

/** Turns in memory: tens of KB of a conversation, a few MB when each turn is a monologue of half an hour. */
const CHUNK = 100;

@Injectable()
export class TranscriptsService {
  constructor(
    private readonly events: CallEventsRepository,
    private readonly links: CallLinksService,
  ) {}

  /** The call behind a signed link. Throws NotFound when the link is not valid or the transcript was deleted. */
  async findByLink(callId: string, proof: LinkProof): Promise<TranscribedCall> {
    const call = isUuid(callId) ? await this.events.findTranscribed(callId) : undefined;
    if (!call || !this.links.opensTranscript(call, proof)) throw new NotFound('Transcript');
    return call;
  }

  /** Throws NotFound when the account has no such call, and when retention deleted the transcript. */
  async find(accountId: number, callId: string): Promise<TranscribedCall> {
    const call = await this.events.findTranscribedOfAccount(accountId, callId);
    if (!call) throw new NotFound('Call');
    if (call.transcript_deleted_at) throw new NotFound('Transcript');
    return call;
  }

  /**
   * The turns in the order in which they began, in chunks; a slow reader holds no database connection between chunks. The first statement
   * has run when this resolves. Reading throws when turns are deleted meanwhile, because an incomplete transcript must not look complete.
   */
  async turns(callId: string): Promise<AsyncGenerator<TranscriptTurn[]>> {
    return this.inChunks(callId, await this.events.turnOrder(callId));
  }

  private async *inChunks(callId: string, order: readonly number[]): AsyncGenerator<TranscriptTurn[]> {
    for (let from = 0; from < order.length; from += CHUNK) {
      const wanted = order.slice(from, from + CHUNK);
      const found = await this.events.turns(callId, wanted);
      if (found.length < wanted.length) throw new Error('The transcript was deleted while it was read.');
      yield found.map(transcriptTurn);
    }
  }
}
