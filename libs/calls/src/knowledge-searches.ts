/** The built-in tool whose calls are searches; its results are passages. */
const SEARCH = 'search_knowledge_base';

type ToolCallData = Record<string, unknown>;

/** One search of the agent's, as the post-call webhook tells it; times in ms since the answer. */
export interface KnowledgeSearchView {
  tool_call_id: unknown;
  query: unknown;
  /** Best first; empty when nothing was found or the search failed. */
  results: unknown[];
  /** `{code, message}` of a search that failed. */
  error: unknown;
  started_ms: unknown;
  ended_ms: unknown;
}

const isSearch = ({ name }: ToolCallData): boolean => name === SEARCH;

export const knowledgeSearches = (calls: readonly ToolCallData[]): KnowledgeSearchView[] =>
  calls.filter(isSearch).map(searchView);

function searchView(call: ToolCallData): KnowledgeSearchView {
  const { results, error } = objectOf(call.result);
  return {
    tool_call_id: call.tool_call_id,
    query: objectOf(call.arguments).query ?? null,
    results: Array.isArray(results) ? results : [],
    error: error ?? null,
    started_ms: call.started_ms,
    ended_ms: call.ended_ms,
  };
}

/** Passages stand with the searches; of a search that worked, the list of tool calls says how many there were. */
export function toolCallView(call: ToolCallData): ToolCallData {
  const { results } = objectOf(call.result);
  return isSearch(call) && Array.isArray(results) ? { ...call, result: { found: results.length } } : call;
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
