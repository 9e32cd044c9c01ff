import { type AgentOfAccount, type Log, UnitsAtWork } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type CurrentEmbedder, EmbeddingsService } from '../embed/embeddings.service.js';
import { placeOfExpected } from '../retrieval-tests/expectation.js';
import type { FoundChunk } from '../search/knowledge-search.repository.js';
import { SnapshotSearchService } from '../search/snapshot-search.service.js';
import {
  type EmbedderCheck,
  type EmbedderCheckClaim,
  type EmbedderCheckResult,
  EmbedderChecksRepository,
} from './embedder-checks.repository.js';
import { outcomeOfCheck, questionAbout, type SampleQuestion } from './sample-questions.js';

const LEASE_MS = 120_000;
const RUN_MS = 100_000;
/** While vectors are being added, and after a failure of the embedder. */
const AGAIN_MS = 60_000;
/** A passage that is among so many first ones is found; as for retrieval tests. */
const WITHIN = 3;
const QUESTIONS = 50;
/** More than questions: places may coincide, and passages such as headings make no question. */
const PLACES = 200;

/**
 * Compares searches with and without the embedder on questions made from an agent's own passages, so that an embedder that loses
 * answers is noticed in an account without retrieval tests. One check at a time, accounts in turn, at most one per agent and hour. Any
 * number of workers may run it.
 */
@Injectable()
export class EmbedderChecksService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private lastAccount = 0;

  constructor(
    private readonly repository: EmbedderChecksRepository,
    private readonly searches: SnapshotSearchService,
    @Inject(EmbeddingsService) private readonly embeddings: CurrentEmbedder,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Returns the current check to the queue. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** The last check of the agent with the current embedder; undefined before it and without an embedder. */
  async last(agent: AgentOfAccount): Promise<EmbedderCheck | undefined> {
    const model = this.embeddings.embedder?.model;
    if (model === undefined) return undefined;
    const last = await this.repository.last(agent);
    return last?.model === model ? last : undefined;
  }

  /** Runs the next check, if there is an embedder. @returns whether one was due */
  checkNext(): Promise<boolean> {
    return this.units.do(async () => {
      const model = this.embeddings.embedder?.model;
      const claim = model && (await this.repository.claim(this.owner, LEASE_MS, this.lastAccount));
      if (!claim) return false;
      this.lastAccount = claim.account_id;
      const agent = { accountId: claim.account_id, agentId: claim.agent_id };
      try {
        await this.check(claim, agent, model);
      } catch (err) {
        const { isStopping } = this.units;
        if (!isStopping)
          this.log.warn({ err, ...idsOf(agent) }, 'the embedder could not be checked and is checked later');
        await this.repository.postpone(claim, isStopping ? 0 : AGAIN_MS);
      }
      return true;
    });
  }

  private async check(claim: EmbedderCheckClaim, agent: AgentOfAccount, model: string): Promise<void> {
    const { hasTests, lacksVectors } = await this.repository.state(agent, model);
    if (hasTests) return this.repository.skip(claim);
    if (lacksVectors) return this.repository.postpone(claim, AGAIN_MS);
    const passages = await this.repository.sample(agent, PLACES);
    const questions = evenly(
      passages.flatMap((passage) => questionAbout(passage) ?? []),
      QUESTIONS,
    );
    const result = await this.compare(agent, questions, model);
    await this.repository.store(claim, result);
    this.report(agent, result);
  }

  private compare(agent: AgentOfAccount, questions: SampleQuestion[], model: string): Promise<EmbedderCheckResult> {
    const signal = AbortSignal.any([this.units.signal, AbortSignal.timeout(RUN_MS)]);
    const texts = questions.map(({ question }) => question);
    return this.searches.run(agent, texts, { limit: WITHIN, signal }, async (search, version) => {
      let [found, foundByWords, gained, lost] = [0, 0, 0, 0];
      for (const { question, expected } of questions) {
        const { passages, byWords = passages } = await search(question);
        const [both, words] = [contains(passages, expected), contains(byWords, expected)];
        if (both) found += 1;
        if (words) foundByWords += 1;
        if (both && !words) gained += 1;
        if (words && !both) lost += 1;
      }
      const outcome = outcomeOfCheck(gained, lost);
      return { version, model, questions: questions.length, found, foundByWords, outcome };
    });
  }

  private report(agent: AgentOfAccount, { outcome, model, questions, found, foundByWords }: EmbedderCheckResult): void {
    metrics.embedderChecks.inc({ outcome });
    const fields = { ...idsOf(agent), model, outcome, questions, found, found_by_words: foundByWords };
    if (outcome !== 'worse') return this.log.debug(fields, 'the embedder was checked');
    this.log.warn(fields, 'the embedder loses passages that words alone find; use another model, or none');
  }
}

const idsOf = ({ accountId, agentId }: AgentOfAccount) => ({ account_id: accountId, agent_id: agentId });

const contains = (passages: readonly FoundChunk[], text: string): boolean =>
  placeOfExpected({ text, source: null, knowledgeBaseId: null }, passages) !== undefined;

const evenly = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most ? [...all] : Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)]!);
