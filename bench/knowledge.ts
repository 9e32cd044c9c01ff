interface BenchOptions {
  baseline?: string;
  /** Asks only the questions that nothing was tuned on. */
  isHeldOut?: boolean;
}

/** Loaded on demand: their peers and test data take seconds to load. */
export const KNOWLEDGE_BENCHES: Record<string, (options?: BenchOptions) => Promise<void>> = {
  'knowledge-chunker': async () => (await import('./knowledge-chunker.js')).run(),
  'knowledge-rows': async () => (await import('./knowledge-rows.js')).run(),
  'knowledge-ingest': async () => (await import('./knowledge-ingest.js')).run(),
  'knowledge-small': async (options) => (await import('./knowledge-small.js')).run(options),
  'knowledge-crawl': async () => (await import('./knowledge-crawl.js')).run(),
  'knowledge-tenants': async () => (await import('./knowledge-tenants.js')).run(),
  'knowledge-vectors': async () => (await import('./knowledge-vectors.js')).run(),
  'knowledge-documents': async () => (await import('./knowledge-documents.js')).run(),
  'knowledge-search': async () => (await import('./knowledge-search.js')).run(),
  'knowledge-retrieval': async () => (await import('./knowledge-retrieval.js')).run(),
  'knowledge-meaning': async (options) => (await import('./knowledge-meaning.js')).run(options),
  'knowledge-embedder': async () => (await import('./knowledge-embedder.js')).run(),
  'knowledge-api': async () => (await import('./knowledge-api.js')).run(),
  'knowledge-bombs': async () => (await import('./knowledge-bombs.js')).run(),
  'knowledge-pdf': async () => (await import('./knowledge-pdf.js')).run(),
};

/** Runs all of them sequentially. */
export async function run(): Promise<void> {
  for (const bench of Object.values(KNOWLEDGE_BENCHES)) await bench();
}
