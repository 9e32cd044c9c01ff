import type { JobProcessor } from '@app/queue';
import { describe, expect, it } from '@jest/globals';
import type { Job } from 'bullmq';
import { AnalysesProcessor } from './analyses.processor.js';
import { CampaignsProcessor } from './campaigns.processor.js';
import { ContactImportsProcessor } from './contact-imports.processor.js';
import { DocumentsProcessor } from './documents.processor.js';
import { EmbedderChecksProcessor } from './embedder-checks.processor.js';
import { RetentionProcessor } from './retention.processor.js';
import { RetrievalTestsProcessor } from './retrieval-tests.processor.js';
import { SweepsProcessor } from './sweeps.processor.js';
import { TestRunsProcessor } from './test-runs.processor.js';
import { VectorsProcessor } from './vectors.processor.js';
import { WebhooksProcessor } from './webhooks.processor.js';

type Construct = new (service: never) => JobProcessor;

const PROCESSORS: [Construct, method: string][] = [
  [AnalysesProcessor, 'runNext'],
  [ContactImportsProcessor, 'importNext'],
  [DocumentsProcessor, 'processNext'],
  [EmbedderChecksProcessor, 'checkNext'],
  [RetentionProcessor, 'deleteExpired'],
  [RetrievalTestsProcessor, 'runNext'],
  [SweepsProcessor, 'run'],
  [TestRunsProcessor, 'playNext'],
  [VectorsProcessor, 'completeNext'],
  [WebhooksProcessor, 'drain'],
];

/** A job, and a service with one method, which write down in which order they are used. */
function recorded(method: string) {
  const steps: string[] = [];
  const job = {
    name: 'purge',
    removeDeduplicationKey: async () => {
      await Promise.resolve();
      steps.push('the next token may be queued');
      return true;
    },
  };
  const service = {
    [method]: async (...given: unknown[]) => {
      steps.push(`${method}(${given.join()})`);
      await Promise.resolve();
      steps.push('done');
      return true;
    },
  };
  return { steps, job: job as unknown as Job, service: service as never };
}

describe('a processor', () => {
  it.each(PROCESSORS)(
    '%p lets the next token be queued, then does one unit, and resolves when it is done',
    async (Made, method) => {
      const { steps, job, service } = recorded(method);
      await new Made(service).process(job);
      const given = Made === SweepsProcessor ? 'purge' : '';
      expect(steps).toEqual(['the next token may be queued', `${method}(${given})`, 'done']);
    },
  );

  it('of campaigns ends the pause of the loop', async () => {
    const woken: string[] = [];
    await new CampaignsProcessor({ wake: () => woken.push('woken') } as never).process();
    expect(woken).toEqual(['woken']);
  });
});
