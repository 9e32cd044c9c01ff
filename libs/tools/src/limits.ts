/** Providers take 128 tools with a session; the built-in ones and those to come want room, too. */
export const TOOLS_PER_AGENT = 100;
export const ACTIONS_PER_TOOL = 10;
export const DESCRIPTION_LENGTH = 2_000;
export const ACTION_NAME_LENGTH = 64;
export const PAYLOAD_BYTES = 16_384;
export const PAYLOAD_DEPTH = 16;
export const QUERY_PARAMS = 50;
export const QUERY_NAME_LENGTH = 128;
export const QUERY_VALUE_LENGTH = 2_048;
export const QUERY_LIST_ITEMS = 50;
export const DEFAULT_TIMEOUT_SECONDS = 10;
export const MAX_TIMEOUT_SECONDS = 120;
