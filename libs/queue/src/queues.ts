/** The process whose processor takes the jobs of a queue. */
export type QueueRole = 'worker' | 'dialer';

interface QueueDefinition {
  role: QueueRole;
  /**
   * `unit`: a job means "claim one unit of this kind and do it". `wake`: it only ends the pause of a loop that claims for itself, for
   * latency (docs/job-queues.md).
   */
  job: 'unit' | 'wake';
}

/** All queues. A job carries no id: the database decides which unit is next. */
export const QUEUES = {
  dial: { role: 'dialer', job: 'wake' },
  campaigns: { role: 'worker', job: 'wake' },
  webhooks: { role: 'worker', job: 'unit' },
  documents: { role: 'worker', job: 'unit' },
  vectors: { role: 'worker', job: 'unit' },
  'retrieval-tests': { role: 'worker', job: 'unit' },
  'embedder-checks': { role: 'worker', job: 'unit' },
  analyses: { role: 'worker', job: 'unit' },
  'contact-imports': { role: 'worker', job: 'unit' },
  'test-runs': { role: 'worker', job: 'unit' },
  retention: { role: 'worker', job: 'unit' },
  sweeps: { role: 'worker', job: 'unit' },
} as const satisfies Record<string, QueueDefinition>;

export type QueueName = keyof typeof QUEUES;

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];
