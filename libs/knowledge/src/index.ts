export * from './blocks.js';
export * from './generations.js';
export * from './knowledge-base-row.js';
export * from './limits.js';
export type { FoundChunk } from './search/found-chunk.js';
export { KnowledgeSearch, type SearchedAgent, type SearchOptions } from './search/knowledge-search.js';
export * from './extract/document-problem.js';
export * from './extract/extract.js';
export type { ReadingFacts, ReadingInput, ReadingListener } from './reading/reading.js';
