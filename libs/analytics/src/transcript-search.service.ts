import { CallFactsService, type FoundTurn } from '@app/calls';
import { CooperativeYield, InvalidFields, withCode } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CallSearchRepository } from './call-search.repository.js';
import { matchesTurn, type TranscriptSearch, transcriptSearch } from './domain/transcript-words.js';

/** A turn that contains words of a search. */
export type TranscriptMatch = Omit<FoundTurn, 'call_id'>;

/** Turns per call. */
const MAX_MATCHES = 3;

/** Searches in the transcripts of ended calls. */
@Injectable()
export class TranscriptSearchService {
  constructor(
    private readonly search: CallSearchRepository,
    private readonly calls: CallFactsService,
  ) {}

  /** Throws InvalidFields when the text has no word, or too many. */
  parse(accountId: number, text: string): TranscriptSearch {
    const search = transcriptSearch(accountId, text);
    if (search) return search;
    throw new InvalidFields({
      transcript: [withCode('invalid_format', 'The transcript field must contain 1 to 32 words or numbers to find.')],
    });
  }

  /** The calls with the first turns that match. */
  async withMatches<T extends { call_id: string }>(accountId: number, calls: readonly T[], search: TranscriptSearch) {
    const ids = calls.map((call) => call.call_id);
    const found = await this.matches(accountId, ids, search);
    return calls.map((call) => ({ ...call, transcript_matches: found.get(call.call_id) ?? [] }));
  }

  /** The calls are found by no word any more. */
  forget(callIds: readonly string[], tx: Sql): Promise<void> {
    return this.search.delete(callIds, tx);
  }

  private async matches(
    accountId: number,
    callIds: readonly string[],
    search: TranscriptSearch,
  ): Promise<Map<string, TranscriptMatch[]>> {
    const found = new Map<string, TranscriptMatch[]>();
    const yielding = new CooperativeYield();
    for (const { call_id: id, ...turn } of await this.calls.turns(accountId, callIds)) {
      const of = found.get(id) ?? [];
      if (of.length < MAX_MATCHES && matchesTurn(search, turn.text)) found.set(id, [...of, turn]);
      if (yielding.due) await yielding.pause();
    }
    return found;
  }
}
